import { describe, expect, it } from "vitest";
import type { Option } from "../../platform/config/option.ts";
import { resolveOptions } from "../../platform/config/resolve.ts";
import { bootnodeOptions } from "./bootnode.ts";
import { countOrAny, tokensOf } from "./conversions.ts";
import { DEV_CHAIN_ID } from "./dev/dev.ts";
import { devNodeOptions, nodeOptions } from "./index.ts";
import { membersOf } from "./member.ts";
import { parseKey, readText } from "./secret-files.ts";

const values = (args: readonly string[] = []) =>
  resolveOptions(devNodeOptions, { argv: args, env: {} }).values as Readonly<Record<string, unknown>>;

const LOCAL = ["localhost"];
const MODULES = ["eth", "kaia", "klay", "net", "web3"];

/** Every default of `kairn node`, repeated here so that an accidental change fails. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...{ rpcaddr: "localhost", rpcport: 8551, rpcapi: MODULES, rpcvhosts: LOCAL, rpccorsdomain: [] },
  ...{ wsaddr: "localhost", wsport: 8552, wsapi: MODULES, wsorigins: [], unlock: [] },
  ...{ "rpc.gascap": 50_000_000n, "rpc.evmtimeout": 5_000, "rpc.max-calls": 0, "rpc.call-slice": 3 },
  ...{ "block-slice": 3, "evm.compile": "auto", "rpc.rangelimit": 0, "rpc.rate": 0 },
  ...{ "rpc.batch-request-limit": 1_000, "rpc.batch-response-max-size": 25_000_000 },
  ...{ "api.filter.getLogs.maxitems": 10_000, "api.filter.getLogs.deadline": 10_000 },
  ...{ "rpc.max-connections": 1_000, "rpc.max-subscriptions": 10_000, "rpc.io-processes": 0 },
  ...{ "rpc.max-incoming": 268_435_456, "rpc.max-pending-calls": 10_000, "rpc.max-filters": 10_000 },
  ...{ "rpc.max-filter-bytes": 67_108_864, "rpc.max-collected": 268_435_456, rpcexecutiontimeout: 0 },
  ...{ wsmaxconnections: 3_000, wsmaxsubscriptionperconn: 3_000, "ws.max-unsent": 16_777_216 },
  ...{ "rpc.trace-timeout": 30_000, "rpc.max-trace-size": 100_000_000 },
  ...{ "rpc.unsafe-debug.heavy-debug.request-limit": 500, "kdf.concurrent": 2, "kdf.queue": 16 },
  ...{ "rpc.head-timeout": 10, rpcreadtimeout: 30, rpcwritetimeout: 30, rpcidletimeout: 120 },
  ...{ "txpool.journal": "transactions.rlp", "txpool.journal-interval": 3_600_000 },
  ...{ "txpool.pricelimit": 1n, "txpool.pricebump": 10, "txpool.lifetime": 300_000 },
  ...{ "txpool.exec-slots.account": 16, "txpool.exec-slots.all": 4_096 },
  ...{ "txpool.nonexec-slots.account": 64, "txpool.nonexec-slots.all": 1_024 },
  ...{ "gasless.allowed-tokens": ["all"], "gasless.balance-check-level": 3 },
  ...{ "gasless.max-bundle-txs-in-pending": 100, "gasless.max-bundle-txs-in-queue": 200 },
  ...{ port: 32_323, "p2p.addr": "::", maxconnections: 10, maxpendpeers: 0 },
  ...{ "discover-types": "auto", nat: "none" },
  ...{ "changelog.durability": "local", "changelog.max-behind": 512, "changelog.lease": 5_000 },
  ...{ "changelog.snapshot-every": 100_000, "changelog.retain": 0, "changelog.max-lag": 16 },
  ...{ "dashboard.addr": "localhost", "dashboard.hosts": [], "logs-from": "local" },
  ...{ "chaindatafetcher.mode": "kafka", "chaindatafetcher.num.handlers": 10 },
  ...{ "chaindatafetcher.max.processing.data.size": 500, "chaindatafetcher.job.channel.size": 50 },
  "chaindatafetcher.block.channel.size": 50,
  "chaindatafetcher.kafka.topic.environment": "local",
  "chaindatafetcher.kafka.topic.resource": "en-0",
  "chaindatafetcher.kafka.segment.size": 1_000_000,
  "chaindatafetcher.kafka.max.message.bytes": 1_000_000,
  "chaindatafetcher.kafka.msg.version": "1.0",
  "chaindatafetcher.kafka.required.acks": "1",
  "chaindatafetcher.kafka.sasl.mechanism": "scram-sha-512",
  ...{ "chaindatafetcher.kafka.replicas": 1, "chaindatafetcher.kafka.partitions": 1 },
  ...{ "chaindatafetcher.nats.stream": "chaindatafetcher", "chaindatafetcher.nats.replicas": 1 },
  ...{ verbosity: 3, "log.format": "text", prometheusport: 61_001, "prometheus.names": "all" },
};

/** What `kairn dev` has besides, or instead. */
const DEV_DEFAULTS: typeof DEFAULTS = {
  ...{ gcmode: "archive", verbosity: 2, accounts: 10, balance: 10_000n * 10n ** 18n },
  ...{
    mnemonic: `${"test ".repeat(11)}junk`,
    "derivation-path": "m/44'/60'/0'/0/",
    "state-interval": 60_000,
  },
};

/** Switches that are on. All others are off. */
const DEV_SWITCHES = ["rpc", "ws", "dashboard", "dashboard.public-read"];

function defaultsOf(options: typeof nodeOptions | typeof devNodeOptions) {
  const found = resolveOptions(options, { argv: [], env: {} }).values as Readonly<Record<string, unknown>>;
  const all = Object.entries(options).map(([key, { flag }]) => [flag, found[key]] as const);
  const given = all.filter(([, value]) => value !== undefined);
  const isSwitch = (value: unknown) => typeof value === "boolean";
  return {
    values: Object.fromEntries(given.filter(([, value]) => !isSwitch(value))),
    on: given.flatMap(([flag, value]) => (value === true ? [flag] : [])).sort(),
  };
}

describe("by default", () => {
  it("a node has these values, and every switch is off", () => {
    expect(defaultsOf(nodeOptions)).toEqual({ values: DEFAULTS, on: [] });
  });

  it("a development chain has a few more, and listens", () => {
    expect(defaultsOf(devNodeOptions)).toEqual({
      values: { ...DEFAULTS, ...DEV_DEFAULTS },
      on: DEV_SWITCHES.toSorted(),
    });
  });

  it("a bootnode listens on every address at the peer port", () => {
    const { bnAddress, httpModules, wsModules } = resolveOptions(bootnodeOptions, { argv: [], env: {} })
      .values as Readonly<Record<string, unknown>>;
    expect(bnAddress).toEqual({ host: "::", port: 32_323 });
    expect([httpModules, wsModules]).toEqual([
      ["bootnode", "net"],
      ["bootnode", "net"],
    ]);
  });
});

describe("a development chain by default", () => {
  it("is 1337 with ten accounts of 10,000 KAIA, derived by Ethereum's path", () => {
    expect(DEV_CHAIN_ID).toBe(1337n);
    expect(values()).toMatchObject({
      ...{ accounts: 10, balance: 10_000n * 10n ** 18n, derivationPath: "m/44'/60'/0'/0/" },
      ...{ allowInsecureUnlock: false, autoImpersonate: false },
    });
  });
});

describe("bounds of options", () => {
  it.each([
    ["accounts", "0", "10000", ["-1", "10001"]],
    ["chain-id", "1", String(Number.MAX_SAFE_INTEGER), ["0", String(2n ** 53n)]],
    ["base-fee", "0", String(Number.MAX_SAFE_INTEGER), ["-1", String(2n ** 53n)]],
    ["timestamp", "0", "8640000000000", ["8640000000001"]],
    ["unlock.max", "1", String(2 ** 31 - 1), ["0", String(2 ** 31)]],
    ["block-time", "1ms", "1h", ["0", "0.5ms"]],
    ["rpcport", "0", "65535", ["-1", "65536"]],
    ["verbosity", "0", "5", ["6"]],
    ["state-interval", "10ms", "2147483647ms", ["9ms", "2147483648ms"]],
    ["txpool.journal-interval", "0", "2147483647ms", ["2147483648ms"]],
    ["code-size-limit", "1", "1048576", ["0", "1048577"]],
    ["rpc.max-calls", "0", "64", ["65"]],
    ["rpc.call-slice", "0", "1000", ["1001"]],
    ["block-slice", "0", "1000", ["1001"]],
    ["rpc.batch-request-limit", "0", String(Number.MAX_SAFE_INTEGER), ["-1"]],
    ["rpc.batch-response-max-size", "0", String(Number.MAX_SAFE_INTEGER), ["-1"]],
    ["rpc.rangelimit", "0", String(Number.MAX_SAFE_INTEGER), ["-1"]],
    ["api.filter.getLogs.maxitems", "0", String(Number.MAX_SAFE_INTEGER), ["-1"]],
    ["rpc.max-body", "1024", String(512 << 20), ["1023", String((512 << 20) + 1)]],
    ["rpc.io-processes", "0", "64", ["65", "-1"]],
    ["rpc.max-connections", "1", "1000000", ["0", "1000001"]],
    ["rpc.max-unsent", "1048576", String(Number.MAX_SAFE_INTEGER), ["1048575"]],
    ["rpc.max-subscriptions", "1", "10000000", ["0", "10000001"]],
    ["rpcexecutiontimeout", "0", "3600", ["-1", "3601"]],
    ["wsmaxconnections", "0", "1000000", ["-1", "1000001"]],
    ["wsmaxsubscriptionperconn", "0", String(Number.MAX_SAFE_INTEGER), ["-1"]],
    ["ws.max-unsent", String(4 << 20), String(Number.MAX_SAFE_INTEGER), [String((4 << 20) - 1)]],
    ["rpc.max-filters", "1", "10000000", ["0", "10000001"]],
    ["rpc.trace-timeout", "1ms", "2147483647ms", ["0"]],
    ["rpc.max-trace-size", "1", "200000000", ["0", "200000001"]],
    ["kdf.concurrent", "2", "64", ["1", "65"]],
    ["kdf.queue", "0", "10000", ["10001"]],
    ["rpc.rate", "0", "1000000", ["-1", "1000001"]],
    ["txpool.exec-slots.all", "0", String(Number.MAX_SAFE_INTEGER), ["-1"]],
    ["maxconnections", "0", "1000", ["1001"]],
    ["maxpendpeers", "0", "1000", ["1001"]],
    ["changelog.max-behind", "1", "65536", ["0", "65537"]],
    ["changelog.lease", "500ms", "10m", ["499ms", "600001ms"]],
    ["changelog.snapshot-every", "0", "100000000", ["100000001"]],
    ["changelog.retain", "0", "1000000000", ["1000000001"]],
    ["changelog.max-lag", "0", "1000000", ["1000001"]],
    ["chaindatafetcher.num.handlers", "1", "1000", ["0", "1001"]],
    ["chaindatafetcher.max.processing.data.size", "1", "1000000", ["0", "1000001"]],
    ["chaindatafetcher.job.channel.size", "1", "100000", ["0", "100001"]],
    ["chaindatafetcher.kafka.segment.size", "1024", String(64 << 20), ["1023", String((64 << 20) + 1)]],
    ["chaindatafetcher.kafka.replicas", "1", "1000", ["0", "1001"]],
    ["chaindatafetcher.kafka.partitions", "1", "10000", ["0", "10001"]],
    ["chaindatafetcher.kafka.max.message.bytes", "2048", String(64 << 20), ["2047", String((64 << 20) + 1)]],
    ["chaindatafetcher.nats.replicas", "1", "5", ["0", "6"]],
  ])("--%s takes %s and %s, and nothing beyond", (flag, least, most, beyond) => {
    for (const text of [least, most]) expect(() => values([`--${flag}=${text}`])).not.toThrow();
    for (const text of beyond) expect(() => values([`--${flag}=${text}`])).toThrow(`--${flag}`);
  });
});

describe("addresses of other services", () => {
  it.each([
    [
      "signer",
      ["", "http://h:1", "https://h", "./clef.ipc", "clef.ipc", "a/b"],
      ["ws://h", "clef", "ftp://a.ipc"],
    ],
    ["sql", ["postgres://u@h:1/d", "postgresql://h"], ["http://h", "h", "xpostgres://h", "mysql://h/d"]],
    ["changelog", ["postgres://u@h:1/d"], ["http://h", "postgres"]],
  ])("--%s takes %j and refuses %j", (flag, good, bad) => {
    for (const text of good) expect(() => values([`--${flag}=${text}`]), text).not.toThrow();
    for (const text of bad) expect(() => values([`--${flag}=${text}`]), text).toThrow(`--${flag}`);
  });
});

describe("the output of help and `config show`", () => {
  const all: readonly Option<unknown>[] = Object.values(devNodeOptions);

  it("lists the values of an enumerated option in order", () => {
    const listed = all.filter(({ type }) => type.words !== undefined);
    expect(Object.fromEntries(listed.map(({ flag, type }) => [flag, type.placeholder]))).toEqual({
      ...{ gcmode: "full|archive", compat: "kaia|klaytn", "signed-message-name": "Klaytn|Ethereum" },
      ...{ unit: "kei|peb", "evm.compile": "off|auto|always", nodetype: "cn|pn|en" },
      ...{ role: "writer|standby|follower|feeder", "changelog.durability": "local|shared" },
      ...{ verify: "hash|roots|full", "logs-from": "local|sql" },
      "chaindatafetcher.mode": "kafka|nats|file",
      "chaindatafetcher.kafka.msg.version": "1.0|legacy",
      "chaindatafetcher.kafka.required.acks": "0|1|-1",
      "chaindatafetcher.kafka.sasl.mechanism": "plain|scram-sha-256|scram-sha-512",
      ...{ "log.format": "text|json", "prometheus.names": "all|kairn|klaytn" },
    });
  });

  it("never shows the value of an option that may contain a key, a passphrase or a token", () => {
    expect(all.flatMap(({ flag, secret }) => (secret ? [flag] : [])).sort()).toEqual(
      [
        ...["nodekeyhex", "bls-nodekeyhex", "signer", "sql", "changelog", "mnemonic", "fork-url"],
        "chaindatafetcher.nats.servers",
      ].sort(),
    );
  });
});

describe("the address of a bootnode", () => {
  const parsed = (text: string) =>
    (
      resolveOptions(bootnodeOptions, { argv: [`--bnaddr=${text}`], env: {} }).values as Record<
        string,
        unknown
      >
    )["bnAddress"];

  it.each([
    ["127.0.0.1:1", "127.0.0.1", 1],
    ["[::1]:65535", "::1", 65_535],
    [":0", "::", 0],
    ["7", "::", 7],
  ])("%s is %s and %i", (text, host, port) => {
    expect(parsed(text)).toEqual({ host, port });
  });

  it.each(["localhost:1", "[::1:1", "127.0.0.1:", "127.0.0.1:65536"])("%s is refused", (text) => {
    expect(() => parsed(text)).toThrow("--bnaddr");
  });
});

describe("a rate", () => {
  it("of 0 is no limit, any other that many calls per second", () => {
    const rateOf = (text: string) => membersOf(devNodeOptions, { ...values([`--rpc.rate=${text}`]) }).rpcRate;
    expect([rateOf("0"), rateOf("7")]).toEqual([undefined, { perSecond: 7, loopback: false }]);
  });
});

describe("a key as text", () => {
  it("has 32 bytes, otherwise it is rejected with its origin", () => {
    expect(parseKey(`0x${"0a".repeat(32)}`, "here")).toEqual(new Uint8Array(32).fill(10));
    for (const text of ["", "0a".repeat(31), `${"0a".repeat(32)}0`, "zz".repeat(32)])
      expect(() => parseKey(text, "here")).toThrow(
        expect.objectContaining({
          code: "CONFIG_VALUE",
          message: expect.stringMatching(/^here: a private key/),
        }),
      );
  });

  it("is rejected with its flag if its file cannot be read", () => {
    expect(() => readText("/nowhere/key", "--nodekey")).toThrow(
      expect.objectContaining({
        code: "CONFIG_FILE",
        message: "--nodekey /nowhere/key: there is no such file",
      }),
    );
  });
});

describe("conversions", () => {
  it("treat 0 and less as no limit", () => {
    expect([-1, 0, 1].map(countOrAny)).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1]);
  });

  it("reject values that are not HTTP URLs or addresses, with code and flag", () => {
    expect(values(["--fork-url=https://h"])).toMatchObject({ forkUrl: "https://h" });
    const url = { code: "CONFIG_VALUE", message: expect.stringContaining("--fork-url") };
    for (const text of ["ws://h", "h"])
      expect(() => values([`--fork-url=${text}`])).toThrow(expect.objectContaining(url));
    expect(tokensOf([`0x${"ab".repeat(20)}`, "all"])).toBeUndefined();
    const token = { code: "CONFIG_VALUE", message: expect.stringContaining("0x12 is not an address") };
    expect(() => tokensOf(["0x12"])).toThrow(expect.objectContaining(token));
  });
});
