// `npm run bench [-- --rounds N] [--phases startup,reads,ws,submit,evm,contracts,keystore,growth] [--only kairn,anvil] [--quick]
//   [--kcn PATH]`
// Starts kairn and every peer that is installed, measures them in turn round by round, and prints a table of medians.
// `--kcn` names a binary of the Go node v2.2.1, which stands beside kairn in start, network reads and keys.
// `npm run bench -- --compare BASE [--rows PARTS] [--pairs N] [--starts N]` measures this checkout beside another (a commit, or a
//   folder that is built), and anvil where it is installed, in short windows by turns; exits with 1 where a row fell: pairs/
// `npm run bench -- import [--rounds N] [CHAIN...]` measures the import of recorded chains, see import/import.mjs.
// `npm run bench -- tracing [--kcn PATH] [--loops N] [--only TRACER]` measures traced calls beside the Go node, see tracing.mjs.
// `npm run bench -- explorer [--blocks N]` measures look-ups while a chain grows, see explorer.mjs.
// `npm run bench -- storage [--blocks N]` measures what a chain takes on disk and in memory, see storage.mts.
// `npm run bench -- telling [--rounds N]` measures what the terminal of `kairn dev` costs, see telling.mjs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, ensureInstalled, root } from "../scripts/lib.mjs";
import { benchImport } from "./import/import.mjs";
import { benchKeyFiles } from "./key-files.mjs";
import { compareWith } from "./pairs/report.mjs";
import { benchTelling } from "./telling.mjs";
import { benchTracing } from "./tracing.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    blocks: { type: "string", default: "100000" },
    phases: { type: "string", default: "startup,reads,ws,submit,evm" },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    kcn: { type: "string" },
    loops: { type: "string", default: "2000" },
    compare: { type: "string" },
    rows: { type: "string" },
    pairs: { type: "string", default: "12" },
    starts: { type: "string", default: "6" },
  },
});
/** Fields of the keystore phase and what they are. */
const KEYSTORE_FIGURES = {
  p50Ms: "median ms",
  p99Ms: "p99 ms",
  cpuSeconds: "CPU s each",
  wallMs: "ms in all",
  othersP99Ms: "p99 ms of other calls meanwhile",
  aloneP99Ms: "p99 ms of other calls before",
  rssMiB: "MiB afterwards",
  perServerCpu: "per server CPU s",
  rps: "per s by the clock",
};
ensureInstalled();
ensureBuilt();
if (options.compare !== undefined) {
  process.exit(
    await compareWith(options.compare, {
      rows: options.rows?.split(","),
      pairs: Number(options.pairs),
      starts: Number(options.starts),
    }),
  );
}
if (positionals[0] === "explorer") {
  const args = [join(root, "bench", "explorer.mjs"), "--blocks", options.blocks];
  process.exit(spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1);
}
if (positionals[0] === "storage") {
  const args = ["--import", "tsx", join(root, "bench", "storage.mts"), "--blocks", options.blocks];
  process.exit(spawnSync(process.execPath, args, { stdio: "inherit", cwd: root }).status ?? 1);
}
if (positionals[0] === "telling") {
  await benchTelling(Number(options.rounds));
  process.exit();
}
if (positionals[0] === "tracing") {
  await benchTracing(options.kcn, {
    rounds: Number(options.rounds),
    loops: Number(options.loops),
    only: options.only,
  });
  process.exit();
}
if (positionals[0] === "import") {
  benchImport(positionals.slice(1), Number(options.rounds));
  process.exit();
}

const work = mkdtempSync(join(tmpdir(), "kairn-bench-"));
// The first account of the test mnemonic, which every development chain funds.
const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const kairn = (name, port, ...flags) => ({
  name,
  cmd: [
    process.execPath,
    join(root, "bin", "kairn"),
    "dev",
    "--datadir",
    join(work, name),
    "--rpcport",
    `${port}`,
    "--wsport",
    `${port + 1}`,
    "--balance",
    "1000000000",
    "--quiet",
    "--rpc.gascap",
    "0",
    ...slots,
    ...flags,
  ],
  reset: `rm -rf ${join(work, name)}`,
  url: `http://127.0.0.1:${port}`,
  ws: `ws://127.0.0.1:${port + 1}`,
  key,
});
const slots = ["exec-slots.account", "exec-slots.all", "nonexec-slots.account", "nonexec-slots.all"].flatMap(
  (name) => [`--txpool.${name}`, "200000"],
);
const binary = (name) => join(root, "bench", "node_modules", ".bin", name);
const peers = [
  ...(options.kcn === undefined ? [] : [goNode(resolve(options.kcn), 19_340)]),
  kairn("kairn", 19_300, "--block-time", "1s"),
  { ...kairn("kairn-instant", 19_310), skip: ["startup", "reads", "ws", "evm", "contracts", "keystore"] },
  {
    name: "anvil",
    cmd: [
      binary("anvil"),
      "--port",
      "19320",
      "-q",
      "--block-time",
      "1",
      "--gas-limit",
      "2000000000",
      "--balance",
      "1000000000",
    ],
    url: "http://127.0.0.1:19320",
    ws: "ws://127.0.0.1:19320",
    key,
    skip: ["keystore"],
  },
  {
    name: "ganache",
    cmd: [binary("ganache"), "--port", "19330", "-q", "-d", "--wallet.defaultBalance", "1000000000"],
    url: "http://127.0.0.1:19330",
    ws: "ws://127.0.0.1:19330",
    key: "0x4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d",
    skip: ["submit", "evm", "contracts", "keystore", "growth"],
  },
].filter(({ name, cmd }) => /^(kairn|kcn)/.test(name) || existsSync(cmd[0]));

const config = join(work, "peers.json");
const out = join(work, "results.json");
writeFileSync(config, JSON.stringify(peers));
const quick = options.quick
  ? [
      "--args-reads",
      "--secs 0.5 --conc 1,32",
      "--args-ws",
      "--secs 0.5 --conc 1,32",
      "--args-submit",
      "--n 3000 --tokens 1500",
      "--args-evm",
      "--gas 5e7",
    ]
  : ["--args-reads", "--conc 1,32", "--args-submit", "--n 6000 --tokens 3000"];
const only = options.only ? ["--only", options.only] : [];
spawnSync(
  process.execPath,
  [
    join(root, "bench", "rpc", "compare.mjs"),
    config,
    "--out",
    out,
    "--rounds",
    options.rounds,
    "--phases",
    options.phases,
    ...only,
    ...quick,
  ],
  { stdio: ["ignore", "inherit", "inherit"] },
);
console.log(
  `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; medians of ${options.rounds} interleaved rounds\n`,
);
printTable([...JSON.parse(readFileSync(out, "utf8")), ...(await measureKeyFiles())]);
rmSync(work, { recursive: true, force: true });

/** The Go node as the only validator of the recorded exchanges' chain; none of whose keys this program has. */
function goNode(kcn, port) {
  const chain = join(root, "test", "fixtures", "golden", "genesis");
  const folder = join(work, "kcn");
  const flags = {
    datadir: folder,
    networkid: "940625",
    nodekey: join(chain, "nodekey"),
    rpcport: `${port}`,
    rpcapi: "eth,personal,net",
    port: `${port + 12_000}`,
  };
  return {
    name: "kcn",
    reset: `rm -rf ${folder}`,
    init: `${kcn} init --datadir ${folder} ${join(chain, "kaia-2.2.1.json")}`,
    cmd: [
      kcn,
      ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
      "--rpc",
      "--nodiscover",
      "--ntp.disable",
    ],
    url: `http://127.0.0.1:${port}`,
    skip: ["ws", "submit", "evm", "contracts", "growth"],
  };
}

/** What a folder of many key files costs; it concerns our own node alone. */
async function measureKeyFiles() {
  const isWanted = options.phases.split(",").includes("keystore");
  if (!isWanted || (options.only && !options.only.split(",").includes("kairn"))) return [];
  const records = [];
  for (let i = 0; i < Number(options.rounds); i++) records.push(...(await benchKeyFiles(19_350)));
  return records;
}

/** One row a figure, one column a peer. */
function printTable(records) {
  const rows = new Map();
  for (const record of records) {
    for (const [label, value] of figures(record)) {
      const cells = rows.get(label) ?? rows.set(label, new Map()).get(label);
      cells.set(record.peer, [...(cells.get(record.peer) ?? []), value]);
    }
  }
  const names = [...new Set(records.map((record) => record.peer))];
  console.log(`| | ${names.join(" | ")} |\n|---|${names.map(() => "---|").join("")}`);
  for (const [label, cells] of rows) {
    console.log(`| ${label} | ${names.map((name) => format(median(cells.get(name)))).join(" | ")} |`);
  }
  for (const { peer, phase, error, firstError, name } of records) {
    if (error || firstError)
      console.log(`\n${peer} ${phase ?? ""} ${name ?? ""}: ${error ?? JSON.stringify(firstError)}`);
  }
}

function figures(r) {
  if (r.error) return [];
  switch (r.kind) {
    case "startup":
      return [
        ["start to first answer, ms", r.startMs],
        ["idle RSS, MiB", r.idleRssMiB],
      ];
    case "read":
    case "read-batch100":
      return [
        [
          `${r.transport} ${r.kind === "read" ? "" : "batch of 100 "}${r.name}, ${r.conns} conn, per server CPU s`,
          r.rpsPerServerCpu,
        ],
      ];
    case "evm":
      return [[`EVM ${r.name ?? r.contract}, Mgas per server CPU s`, r.mgasPerServerCpu]];
    case "keystore":
      return Object.entries(KEYSTORE_FIGURES)
        .filter(([field]) => typeof r[field] === "number")
        .map(([field, unit]) => [`${r.name}, ${unit}`, r[field]]);
    default:
      return Object.entries(r)
        .filter(([field, value]) => /PerServerCpu|tps|Ms$/.test(field) && typeof value === "number")
        .map(([field, value]) => [`${r.kind}${r.name ? ` ${r.name}` : ""}: ${field}`, value]);
  }
}

function median(values = []) {
  const sorted = values.filter((v) => typeof v === "number").sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function format(value) {
  if (value === undefined) return "–";
  return value >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Math.round(value * 10) / 10);
}
