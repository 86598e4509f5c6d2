/**
 * Who may import whom under src/. Rooms are listed from the bottom of the house to the top; a room may import itself
 * and the rooms in its row, nothing else. Read from top to bottom this table is the architecture.
 */
const protocol = (...rooms) => rooms.map((room) => `protocol/${room}`);
const pure = protocol("primitives", "wasm", "crypto", "codec");
const types = [...pure, ...protocol("params", "account", "transaction", "block")];
const platform = ["platform/intake", "platform/config", "platform/telemetry", "platform/runtime"];
const base = [...types, ...platform];
const machine = [...base, "ledger/database", "ledger/state", "ledger/remote", "ledger/evm", "ledger/execution"];
const ledger = [...machine, "ledger/chain", "ledger/txpool", "ledger/extensions"];
const parts = [...ledger, "network/consensus", "network/p2p", "network/protocol", "network/sync", "network/cluster", "wallet"];

const may = {
  "protocol/primitives": [],
  "protocol/wasm": protocol("primitives"),
  "protocol/crypto": protocol("primitives", "wasm"),
  "protocol/codec": protocol("primitives"),
  "protocol/params": protocol("primitives", "codec"),
  "protocol/account": [...pure, "protocol/params"],
  "protocol/transaction": [...pure, ...protocol("params", "account")],
  "protocol/block": [...pure, ...protocol("params", "account", "transaction")],
  "platform/runtime": ["protocol/primitives"],
  "platform/intake": ["protocol/primitives", "platform/runtime"],
  "platform/config": ["protocol/primitives", "platform/intake"],
  "platform/telemetry": ["protocol/primitives", "platform/runtime", "platform/config"],
  "platform/sockets": [],
  "platform/http": ["protocol/primitives", "platform/runtime", "platform/sockets"],
  "ledger/database": [...platform, "protocol/primitives"],
  "ledger/state": [...base, "ledger/database"],
  "ledger/remote": [...base, "ledger/state"],
  "ledger/evm": [...base, "ledger/state"],
  "ledger/execution": [...base, "ledger/state", "ledger/evm"],
  "ledger/chain": machine,
  "ledger/txpool": [...machine, "ledger/chain"],
  "ledger/extensions": [...machine, "ledger/chain", "ledger/txpool"],
  "network/consensus": ledger,
  "network/p2p": base,
  "network/protocol": [...base, "network/p2p"],
  "network/sync": [...ledger, "network/consensus", "network/p2p", "network/protocol"],
  "network/cluster": ledger,
  wallet: base,
  "api/rpc": [...parts, "platform/http", "platform/sockets"],
  "api/artifacts": [...types, "platform/intake", "platform/runtime"],
  "api/sql": [...ledger, "network/cluster", "api/rpc"],
  "api/stream": ["protocol/primitives", "protocol/codec", "platform/runtime", "platform/telemetry", "platform/intake"],
  "api/client": [...types, "api/rpc"],
  "api/dashboard": [...types, "api/rpc", "api/client"],
  "api/console": [...types, "platform/intake", "platform/runtime", "api/rpc", "api/client"],
  node: [...parts, "platform/http", "platform/sockets", "api/rpc", "api/sql", "api/stream", "api/artifacts", "api/client"],
  cli: [...platform, ...types, "wallet", "api/artifacts", "api/client", "api/console", "node"],
};

const isTest = "\\.(test|test-d|bench)\\.ts$|/testing/";
const layering = Object.entries(may).map(([room, allowed]) => ({
  name: `${room.replace("/", "-")}-imports`,
  comment: `src/${room} may import: ${allowed.join(", ") || "nothing"}`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: isTest },
  to: { path: "^src/", pathNot: `^src/(${[room, ...allowed].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...layering,
    { name: "no-circular", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
    { name: "known-room", severity: "error", from: { path: "^src/", pathNot: `^src/(${Object.keys(may).join("|")})/` }, to: {} },
    {
      name: "browser-safe",
      comment: "the protocol floor, the declarations and the typed client run in a browser",
      severity: "error",
      from: { path: "^src/(protocol/|api/rpc/spec/|api/client|api/dashboard)", pathNot: isTest },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "client-sees-declarations-only",
      severity: "error",
      from: { path: "^src/api/(client|console|dashboard)/", pathNot: isTest },
      to: { path: "^src/api/rpc/", pathNot: "^src/api/rpc/spec/" },
    },
    { name: "no-tests-in-code", severity: "error", from: { path: "^src/", pathNot: isTest }, to: { path: isTest } },
    {
      name: "second-opinions-in-tests-only",
      severity: "error",
      from: { path: "^src/", pathNot: isTest },
      to: { path: "node_modules/@ethereumjs/" },
    },
    {
      name: "database-engine-behind-its-interface",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/ledger/database/" },
      to: { path: "node_modules/(lmdb|classic-level)/" },
    },
    {
      name: "database-client-behind-its-connection",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/network/cluster/postgres/" },
      to: { path: "node_modules/pg/" },
    },
  ],
  options: { parser: "tsc", tsConfig: { fileName: "tsconfig.json" }, doNotFollow: { path: "node_modules" } },
};
