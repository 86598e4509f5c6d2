import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { resolveOptions } from "../../platform/config/resolve.ts";
import { devNodeOptions } from "./index.ts";
import { membersOf } from "./member.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "kairn-options-"));
const KEY_FILE = join(FOLDER, "key");
const DAPPS = join(FOLDER, "dapps.json");
writeFileSync(KEY_FILE, "11".repeat(32), { mode: 0o600 });
writeFileSync(DAPPS, "[]");
afterAll(() => rmSync(FOLDER, { recursive: true }));

const ADDRESS = `0x${"ab".repeat(20)}`;

/** The member that every flag sets, repeated here so that a swap in the declarations fails. */
const LANDINGS: readonly (readonly [flag: string, text: string, member: string, value: unknown])[] = [
  ["keystore", "keys", "keystoreDir", resolve("keys")],
  ["lightkdf", "1", "lightKdf", true],
  ["networkid", "7", "networkId", 7n],
  ["gcmode", "full", "history", "full"],
  ["rpcaddr", "h", "http.host", "h"],
  ["rpcport", "1", "http.port", 1],
  ["rpcapi", "eth,debug", "http.modules", ["eth", "debug"]],
  ["rpcvhosts", "a", "http.virtualHosts", ["a"]],
  ["rpccorsdomain", "b", "http.origins", ["b"]],
  ["wsaddr", "w", "ws.host", "w"],
  ["wsport", "2", "ws.port", 2],
  ["wsapi", "net", "ws.modules", ["net"]],
  ["wsorigins", "c", "ws.origins", ["c"]],
  ["rpc.jwtsecret", KEY_FILE, "jwtSecret", new Uint8Array(32).fill(0x11)],
  ["ipcpath", "s.ipc", "ipc", resolve("s.ipc")],
  ["ipcdisable", "1", "ipc", false],
  ["rpc.unsafe-debug.disable", "1", "unsafeDebugDisabled", true],
  ["allow-exposed", "1", "allowExposed", true],
  ["allow-cleartext-passwords", "1", "allowCleartextPasswords", true],
  ["rpc.unsafe-host", "1", "unsafeHost", true],
  ["dumpdir", "d", "dumpDir", resolve("d")],
  ["rpc.gascap", "9", "gasCap", 9n],
  ["rpc.evmtimeout", "9s", "evmTimeoutMs", 9000],
  ["rpc.max-calls", "4", "maxCalls", 4],
  ["rpc.io-processes", "3", "ioProcesses", 3],
  ["rpc.call-slice", "5", "callSliceMs", 5],
  ["rpc.rangelimit", "7", "logLimits.range", 7],
  ["api.filter.getLogs.maxitems", "8", "logLimits.items", 8],
  ["api.filter.getLogs.deadline", "3s", "logLimits.timeMs", 3000],
  ["block-slice", "6", "blockSliceMs", 6],
  ["evm.compile", "off", "evmCompile", "off"],
  ["rpc.batch-request-limit", "6", "rpcLimits.batchItems", 6],
  ["rpc.batch-response-max-size", "7", "rpcLimits.batchAnswer", 7],
  ["rpc.max-body", "2048", "rpcLimits.body", 2048],
  ["rpc.max-connections", "8", "sharedLimits.connections", 8],
  ["rpc.max-unsent", "2000000", "sharedLimits.unsent", 2_000_000],
  ["rpc.max-subscriptions", "9", "sharedLimits.subscriptions", 9],
  ["rpc.head-timeout", "11", "sharedLimits.headSeconds", 11],
  ["rpcreadtimeout", "12", "sharedLimits.bodySeconds", 12],
  ["rpcwritetimeout", "13", "sharedLimits.unreadSeconds", 13],
  ["rpcidletimeout", "14", "sharedLimits.idleSeconds", 14],
  ["rpcexecutiontimeout", "15", "sharedLimits.answerSeconds", 15],
  ["wsmaxconnections", "16", "sharedLimits.webSockets", 16],
  ["wsmaxsubscriptionperconn", "17", "rpcLimits.subscriptions", 17],
  ["ws.max-unsent", "4194304", "rpcLimits.backlog", 4_194_304],
  ["rpc.max-incoming", "1048576", "sharedLimits.bodies", 1_048_576],
  ["rpc.max-pending-calls", "18", "sharedLimits.calls", 18],
  ["rpc.max-filters", "19", "sharedLimits.filters", 19],
  ["rpc.max-filter-bytes", "1048577", "sharedLimits.filterBytes", 1_048_577],
  ["rpc.max-collected", "1048578", "sharedLimits.collected", 1_048_578],
  ["rpc.trace-timeout", "20s", "traceLimits.timeMs", 20_000],
  ["rpc.max-trace-size", "21", "traceLimits.characters", 21],
  ["rpc.unsafe-debug.heavy-debug.request-limit", "22", "heavyDebugLimit", 22],
  ["kdf.concurrent", "3", "keyDerivation.concurrent", 3],
  ["kdf.queue", "23", "keyDerivation.waiting", 23],
  ["rpc.rate", "10", "rpcRate.perSecond", 10],
  ["rpc.rate-loopback", "1", "rpcRate.loopback", true],
  ["compat", "klaytn", "compat", "klaytn"],
  ["signed-message-name", "Ethereum", "signedMessageName", "Ethereum"],
  ["unit", "peb", "unit", "peb"],
  ["nodekey", KEY_FILE, "nodeKey", new Uint8Array(32).fill(0x11)],
  ["nodekeyhex", "22".repeat(32), "nodeKey", new Uint8Array(32).fill(0x22)],
  ["rewardbase", ADDRESS, "rewardbase", new Uint8Array(20).fill(0xab)],
  ["usb", "1", "usb", true],
  ["allow-insecure-unlock", "1", "allowInsecureUnlock", true],
  ["unlock.max", "60", "unlockMaxSeconds", 60],
  ["signer", "http://s", "signer", "http://s"],
  ["txpool.nolocals", "1", "pool.noLocals", true],
  ["txpool.allow-local-anchortx", "1", "pool.allowLocalAnchoring", true],
  ["txpool.deny.remotetx", "1", "pool.denyRemote", true],
  ["txpool.journal", "j", "pool.journal", "j"],
  ["txpool.journal-interval", "1s", "pool.journalIntervalMs", 1000],
  ["txpool.exec-slots.account", "1", "pool.execSlotsAccount", 1],
  ["txpool.exec-slots.all", "2", "pool.execSlotsAll", 2],
  ["txpool.nonexec-slots.account", "3", "pool.nonExecSlotsAccount", 3],
  ["txpool.nonexec-slots.all", "4", "pool.nonExecSlotsAll", 4],
  ["txpool.lifetime", "2s", "pool.lifetimeMs", 2000],
  ["txpool.keeplocals", "1", "pool.keepLocals", true],
  ["gasless.disable", "1", "gasless", false],
  ["gasless.allowed-tokens", ADDRESS, "gasless.allowedTokens", [new Uint8Array(20).fill(0xab)]],
  ["gasless.max-bundle-txs-in-pending", "0", "gasless.maxPending", Number.MAX_SAFE_INTEGER],
  ["gasless.max-bundle-txs-in-queue", "3", "gasless.maxQueued", 3],
  ["gasless.balance-check-level", "1", "gasless.checkLevel", 1],
  ["port", "4", "peers.port", 4],
  ["p2p.addr", "127.0.0.1", "peers.host", "127.0.0.1"],
  ["nodetype", "pn", "peers.nodeType", "pn"],
  ["maxconnections", "5", "peers.maxConnections", 5],
  ["maxpendpeers", "6", "peers.maxPending", 6],
  ["netrestrict", "10.0.0.0/8, ::1/128", "peers.netRestrict", ["10.0.0.0/8", "::1/128"]],
  ["bootnodes", "kni://a,kni://b", "peers.bootnodes", ["kni://a", "kni://b"]],
  ["nodiscover", "1", "peers.noDiscover", true],
  ["discover-types", "CN,en", "peers.discoverTypes", ["cn", "en"]],
  ["nat", "extip:203.0.113.5", "peers.externalHost", "203.0.113.5"],
  ["prometheusport", "3", "metrics.port", 3],
  ["chain-id", "5", "dev.chainId", 5n],
  ["mnemonic", "words", "dev.mnemonic", "words"],
  ["accounts", "2", "dev.accounts", 2],
  ["balance", "3", "dev.balance", 3n * 10n ** 18n],
  ["derivation-path", "m/1/", "dev.derivationPath", "m/1/"],
  ["base-fee", "6", "dev.baseFee", 6n],
  ["timestamp", "7", "dev.timestamp", 7n],
  ["auto-impersonate", "1", "dev.autoImpersonate", true],
  ["auto-fee-payer", ADDRESS, "dev.autoFeePayer", new Uint8Array(20).fill(0xab)],
  ["fork-url", "https://f", "fork.url", "https://f"],
  ["fork-block", "8", "fork.block", 8n],
  ["fork-allow-private", "1", "allowPrivateForks", true],
  ["fee-payer-port", "0", "feePayer.port", 0],
  ["fee-payer-dapps", DAPPS, "feePayer.dapps", []],
  ["fee-payer-daily", "1", "feePayer.dailyLimit", 10n ** 18n],
  ["fee-payer-daily-sender", "2", "feePayer.dailySenderLimit", 2n * 10n ** 18n],
  ["tls.cert", "c.pem", "tls.cert", resolve("c.pem")],
  ["tls.key", "k.pem", "tls.key", resolve("k.pem")],
  ["bls-nodekey", KEY_FILE, "blsNodeKey", new Uint8Array(32).fill(0x11)],
  ["bls-nodekeyhex", "22".repeat(32), "blsNodeKey", new Uint8Array(32).fill(0x22)],
  ["rpc.request-ids", "1", "requestIds", true],
  ["prometheus.names", "kairn", "metrics.names", "kairn"],
  ["dashboard.addr", "h", "dashboard.host", "h"],
  ["dashboard.port", "4", "dashboard.port", 4],
  ["dashboard.hosts", "a,b", "dashboard.hosts", ["a", "b"]],
  ["dashboard.readonly", "1", "dashboard.readOnly", true],
  ["dashboard.public-read", "0", "dashboard.publicRead", false],
  ["sql", "postgres://h/d", "sql.url", "postgres://h/d"],
  ["sql.password-file", "p", "sql.passwordFile", resolve("p")],
  ["logs-from", "sql", "logsFrom", "sql"],
  ["changelog", "postgres://h/d", "cluster.url", "postgres://h/d"],
  ["role", "follower", "cluster.role", "follower"],
  ["changelog.durability", "shared", "cluster.durability", "shared"],
  ["changelog.max-behind", "7", "cluster.maxBehind", 7],
  ["changelog.password-file", "p", "cluster.passwordFile", resolve("p")],
  ["changelog.rpc-url", "http://a", "cluster.rpcUrl", "http://a"],
  ["changelog.lease", "3s", "cluster.leaseMs", 3000],
  ["verify", "full", "cluster.verify", "full"],
  ["changelog.genesis", `0x${"Ab".repeat(32)}`, "cluster.genesis", `0x${"ab".repeat(32)}`],
  ["changelog.snapshot-sha256", `0x${"cd".repeat(32)}`, "cluster.snapshotSha256", `0x${"cd".repeat(32)}`],
  ["changelog.snapshot-every", "9", "cluster.snapshotEvery", 9],
  ["changelog.retain", "8", "cluster.retain", 8],
  ["changelog.max-lag", "6", "cluster.maxLag", 6],
  ["code-size-limit", "9", "dev.codeSizeLimit", 9],
  ["throw-on-transaction-failures", "1", "dev.throwOnTransactionFailures", true],
  ["artifacts", "out", "artifacts.folders", [resolve("out")]],
  ["state", "s", "state.file", resolve("s")],
  ["load-state", "s", "state.load", resolve("s")],
  ["dump-state", "s", "state.dump", resolve("s")],
  ["state-interval", "1s", "state.intervalMs", 1000],
  ["chaindatafetcher.mode", "nats", "eventStream.mode", "nats"],
  ["chaindatafetcher.no.default", "1", "eventStream.noDefault", true],
  ["chaindatafetcher.num.handlers", "3", "eventStream.handlers", 3],
  ["chaindatafetcher.max.processing.data.size", "2", "eventStream.maxBytes", 2 * 1024 * 1024],
  ["chaindatafetcher.kafka.topic.environment", "e", "eventStream.environment", "e"],
  ["chaindatafetcher.kafka.topic.resource", "r", "eventStream.resource", "r"],
  ["chaindatafetcher.kafka.segment.size", "2048", "eventStream.segmentBytes", 2048],
  ["chaindatafetcher.kafka.msg.version", "legacy", "eventStream.messageVersion", "legacy"],
  ["chaindatafetcher.kafka.producer.id", "p", "eventStream.producerId", "p"],
  ["chaindatafetcher.kafka.brokers", "a:1,b:2", "eventStream.kafka.brokers", ["a:1", "b:2"]],
  ["chaindatafetcher.kafka.replicas", "2", "eventStream.kafka.replicas", 2],
  ["chaindatafetcher.kafka.partitions", "3", "eventStream.kafka.partitions", 3],
  ["chaindatafetcher.kafka.max.message.bytes", "4096", "eventStream.kafka.maxMessageBytes", 4096],
  ["chaindatafetcher.kafka.required.acks", "-1", "eventStream.kafka.requiredAcks", "-1"],
  ["chaindatafetcher.kafka.tls", "0", "eventStream.kafka.tls", false],
  ["chaindatafetcher.kafka.tls.ca", "ca", "eventStream.kafka.tlsCa", resolve("ca")],
  ["chaindatafetcher.kafka.sasl.mechanism", "plain", "eventStream.kafka.saslMechanism", "plain"],
  ["chaindatafetcher.kafka.sasl.username", "u", "eventStream.kafka.saslUsername", "u"],
  ["chaindatafetcher.kafka.sasl.password.file", "p", "eventStream.kafka.saslPasswordFile", resolve("p")],
  ["chaindatafetcher.nats.servers", "nats://a", "eventStream.nats.servers", ["nats://a"]],
  ["chaindatafetcher.nats.tls.ca", "ca", "eventStream.nats.tlsCa", resolve("ca")],
  ["chaindatafetcher.nats.stream", "s", "eventStream.nats.stream", "s"],
  ["chaindatafetcher.nats.replicas", "3", "eventStream.nats.replicas", 3],
  ["chaindatafetcher.file", "f", "eventStream.file", resolve("f")],
];

/** Flags that enable every member, and those that other flags require. */
const OPENED = [
  ...["--prometheus", "--rpc.rate=1", "--fork-url=http://x", "--fee-payer-port=1"],
  ...["--tls.cert=x", "--tls.key=x", "--dashboard", "--chaindatafetcher", "--sql=postgres://x/y"],
  "--changelog=postgres://x/y",
  ...["--chaindatafetcher.kafka.tls", "--chaindatafetcher.kafka.sasl.username=x"],
  "--chaindatafetcher.kafka.sasl.password.file=x",
];

/** What else a flag sets: the same value elsewhere, or the default of another in a group that it opens. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  rpcvhosts: ["metrics.virtualHosts"],
  state: ["state.intervalMs"],
  "load-state": ["state.intervalMs"],
  "dump-state": ["state.intervalMs"],
};

/** Options that commands use themselves, or that only together make a member. */
const READ_BY_COMMANDS = [
  ...["dataDir", "mainnet", "testnet", "ephemeral", "unlock", "passwordFile", "verbosity", "logFormat"],
  ...["blockTimeMs", "mixedMining", "noMining", "forkCache", "noForkCache"],
];

describe("an option's declaration", () => {
  it.each(LANDINGS)("--%s %j becomes %s", (flag, text, member, value) => {
    const before = flag === "state-interval" ? ["--dump-state=d"] : [];
    const plain = flatten(read(before));
    const found = flatten(read([...before, `--${flag}=${text}`]));
    expect(found.get(member)).toEqual(value);
    const changed = [...found].filter(([name, v]) => !same(v, plain.get(name))).map(([name]) => name);
    expect(changed).toEqual([member, ...(BESIDES[flag] ?? [])]);
    expect([...plain.keys()].filter((name) => !found.has(name) && !name.startsWith(`${member}.`))).toEqual(
      [],
    );
  });

  it("that sets a member is among these", () => {
    const listed = new Set(LANDINGS.map(([flag]) => flag));
    const declared: { flag: string; member?: string }[] = Object.values(devNodeOptions);
    expect(declared.filter(({ flag, member }) => member && !listed.has(flag))).toEqual([]);
  });

  it("sets a member, enables one, is read by a command or is marked as without effect", () => {
    for (const [key, option] of Object.entries(devNodeOptions) as [string, object & { doc: string }][]) {
      const isMute = option.doc.startsWith("Without effect: ");
      expect("isWithoutEffect" in option, key).toBe(isMute);
      const roles = [isMute, "member" in option || "opens" in option, READ_BY_COMMANDS.includes(key)];
      expect(roles.filter(Boolean), key).toHaveLength(1);
    }
  });

  it("omits members that are not enabled, with everything in them", () => {
    const members = membersOf(devNodeOptions, values(["--rpc=0", "--ws=0", "--rpcport=1", "--dashboard=0"]));
    for (const name of [
      "http",
      "ws",
      "metrics",
      "rpcRate",
      "fork",
      "feePayer",
      "dashboard",
      "eventStream",
      "sql",
    ])
      expect(members).not.toHaveProperty(name);
  });

  it.each([
    ["--nat=any", '--nat: "any" is not none, or extip: and an IP address'],
    ["--nat=extip:example.org", '--nat: "extip:example.org" is not none, or extip: and an IP address'],
    ["--discover-types=bn", '--discover-types: "bn" is not auto, or a list of cn, pn and en'],
  ])("refuses %s by name", (flag, text) => {
    expect(() => values([flag])).toThrowError(text);
  });

  it.each([
    ["--fork-block=1", "--fork-block requires --fork-url"],
    ["--fee-payer-daily=1", "--fee-payer-daily requires --fee-payer-port"],
    ["--tls.cert=x", "--tls.cert requires --tls.key"],
  ])("refuses %s alone", (flag, text) => {
    expect(() => membersOf(devNodeOptions, values([flag]))).toThrowError(text);
  });
});

function values(argv: readonly string[]): Readonly<Record<string, unknown>> {
  return resolveOptions(devNodeOptions, { argv }).values;
}

function read(argv: readonly string[]): unknown {
  return membersOf(devNodeOptions, values([...OPENED, ...argv]));
}

/** The leaves of an object by their paths. */
function flatten(value: unknown, path = "", into = new Map<string, unknown>()): Map<string, unknown> {
  const isLeaf = typeof value !== "object" || value === null || ArrayBuffer.isView(value);
  if (isLeaf || Array.isArray(value)) return into.set(path, value);
  for (const [name, member] of Object.entries(value)) flatten(member, path ? `${path}.${name}` : name, into);
  return into;
}

function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : v));
  return text(a) === text(b);
}
