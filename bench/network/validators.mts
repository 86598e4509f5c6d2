// One script, whose phases share the four validators that it starts: `npx tsx bench/network/validators.mts [PHASES]`, phases
// launch, idle, load, kill, halves, kills (all by default). `--go N` makes the last N of them nodes of the reference, from the
// folder `KAIA_BIN`. Also `--blocks 300` for idle, `--transfers 12000`, `--kills 200`. Prints a line for each phase: times are by
// the clock, CPU seconds those of all four processes, from /proc.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { addressOfPublicKey, publicKeyOf } from "../../src/protocol/crypto/secp256k1.ts";
import { EMPTY_BYTES } from "../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";
import { encodeTransaction } from "../../src/protocol/transaction/envelope.ts";
import { signTransaction } from "../../src/protocol/transaction/signatures/signing.ts";
import { TRANSACTION_TYPES } from "../../src/protocol/transaction/type-table.ts";
import { TypeCode } from "../../src/protocol/transaction/types.ts";
import { createTransaction } from "../../src/protocol/transaction/value.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/kairn", import.meta.url));
/** `KAIRN_PROFILE=FOLDER` writes CPU profiles of the nodes there. */
const { KAIRN_PROFILE } = process.env;
const profiling = KAIRN_PROFILE ? ["--cpu-prof", "--cpu-prof-dir", KAIRN_PROFILE] : [];
const COUNT = 4;
const SENDERS = 60;
const BATCH = 100;
/** Milliseconds between polls, since polling costs the measured node CPU time, too. */
const POLL_LOAD_MS = 500;
/** Blocks whose rounds are queried at a time: that takes their states, and nodes keep the last 128. */
const ROUNDS_AT_ONCE = 60;
const GAS_PRICE = 250_000_000_000n;

const { values, positionals } = parseArgs({
  options: {
    blocks: { type: "string", default: "300" },
    transfers: { type: "string", default: "12000" },
    kills: { type: "string", default: "200" },
    go: { type: "string", default: "0" },
  },
  allowPositionals: true,
});
const isWanted = (phase: string) => positionals.length === 0 || positionals.includes(phase);

interface Validator {
  readonly isGo: boolean;
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  kni: string;
  child: ChildProcess;
}

const folder = mkdtempSync(join(tmpdir(), "kairn-bench-"));
const net = join(folder, "net");
run("setup", "--validators", String(COUNT), "--dir", net);
const genesis = JSON.parse(readFileSync(join(net, "genesis.json"), "utf8"));
const chainId = BigInt(genesis.config.chainId);
const validators: Validator[] = [];
for (let i = 0; i < COUNT; i++) {
  const own = join(net, `node${i + 1}`);
  const isGo = i >= COUNT - Number(values.go);
  const init = ["init", "--datadir", own, join(net, "genesis.json")];
  if (isGo) execute(goProgram(), init);
  else run(...init);
  const key = hexToBytes(`0x${readFileSync(join(own, "klay", "nodekey"), "utf8")}`);
  const [port, http] = [await freePort(), await freePort()];
  const kni = `kni://${bytesToHex(publicKeyOf(key)).slice(2)}@127.0.0.1:${port}?discport=0`;
  validators.push({
    isGo,
    folder: own,
    port,
    url: `http://127.0.0.1:${http}`,
    kni,
    child: undefined as never,
  });
}
for (const one of validators) {
  const others = validators.filter((other) => other !== one).map(({ kni }) => kni);
  writeFileSync(join(one.folder, "klay", "static-nodes.json"), JSON.stringify(others));
}
process.on("exit", () => {
  for (const { child } of validators) child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
process.on("SIGINT", () => process.exit(130));

const launchedMs = performance.now();
for (const one of validators) launch(one);
await reach(validators, 1);
tell("launch", `block 1 on all after ${seconds(performance.now() - launchedMs)} s`);
if (isWanted("idle")) await idle(Number(values.blocks));
if (isWanted("load")) await load(Number(values.transfers));
if (isWanted("kill")) await killed();
if (isWanted("halves")) await halves();
if (isWanted("kills")) await kills(Number(values.kills));
await agree();
await Promise.all(validators.map(({ child }) => stop(child)));
process.exit(0);

async function idle(blocks: number): Promise<void> {
  const from = await height(validators);
  await reach(validators, from + 1);
  const cpu = cpuSeconds();
  const startMs = performance.now();
  const all = new Map<number, number>();
  for (let done = 0; done < blocks; ) {
    const first = from + 2 + done;
    done = Math.min(blocks, done + ROUNDS_AT_ONCE);
    await reach(validators, from + 1 + done);
    await countRounds(all, first, from + 1 + done);
  }
  const tookMs = performance.now() - startMs;
  const used = cpuSeconds() - cpu;
  const rounds = textOf(all);
  const share = ((used / COUNT / (tookMs / 1_000)) * 100).toFixed(1);
  tell(
    "idle",
    `${blocks} blocks, ${(tookMs / 1_000 / blocks).toFixed(3)} s each, rounds ${rounds}, ${share} % of a core each`,
  );
}

async function load(count: number): Promise<void> {
  const [one] = validators as [Validator];
  const owner = hexToBytes(`0x${readFileSync(join(net, "owner-key"), "utf8").trim()}`);
  const keys = Array.from({ length: SENDERS }, (_, i) => new Uint8Array(32).fill(i + 1));
  const nonce = BigInt(
    await call(one.url, "eth_getTransactionCount", bytesToHex(addressOf(owner)), "latest"),
  );
  await submit(
    one.url,
    keys.map((key, i) => transfer(owner, nonce + BigInt(i), addressOf(key), 10n ** 20n)),
  );
  const last = bytesToHex(addressOf(keys.at(-1) as Uint8Array));
  await until(async () => BigInt(await call(one.url, "eth_getBalance", last, "latest")) > 0n);
  const each = count / SENDERS;
  const to = new Uint8Array(20).fill(0x77);
  const raw = keys.map((key) => Array.from({ length: each }, (_, n) => transfer(key, BigInt(n), to, 1n)));
  const cpu = cpuSeconds();
  const startMs = performance.now();
  const from = await height(validators);
  await Promise.all(
    validators.map(async ({ url }, v) => {
      for (let n = 0; n < each; n += BATCH)
        for (const [i, own] of raw.entries()) if (i % COUNT === v) await submit(url, own.slice(n, n + BATCH));
    }),
  );
  const submittedMs = performance.now() - startMs;
  const mined = async () => {
    const counts = await Promise.all(
      keys.map((key) => call(one.url, "eth_getTransactionCount", bytesToHex(addressOf(key)), "latest")),
    );
    return counts.reduce((sum: number, nonce: string) => sum + Number(nonce), 0);
  };
  await until(async () => (await mined()) >= count, 300_000, POLL_LOAD_MS);
  const tookMs = performance.now() - startMs;
  const used = cpuSeconds() - cpu;
  const to1 = await height(validators);
  const rounds = await roundsOf(from + 1, to1);
  tell(
    "load",
    `${count} transfers submitted in ${seconds(submittedMs)} s, mined in ${seconds(tookMs)} s and ${to1 - from} blocks, ` +
      `rounds ${rounds}, ${used.toFixed(1)} CPU s of all = ${Math.round(count / used)} a CPU second`,
  );
}

async function killed(): Promise<void> {
  const [one, two, ...others] = validators as [Validator, Validator, ...Validator[]];
  await end(one);
  let from = await height([two, ...others]);
  let startMs = performance.now();
  await reach([two, ...others], from + 5);
  const took = seconds(performance.now() - startMs);
  tell(
    "kill",
    `one of four killed: five blocks in ${took} s, rounds ${await roundsOf(from + 1, from + 5, two)}`,
  );
  startMs = performance.now();
  launch(one);
  await reach([one], await height(others));
  tell("kill", `it has caught up with the head ${seconds(performance.now() - startMs)} s after its launch`);
  await Promise.all([end(one), end(two)]);
  await pause(5_000);
  from = await height(others);
  await pause(5_000);
  if ((await height(others)) !== from) throw new Error("two of four made a block");
  startMs = performance.now();
  launch(one);
  await reach([one, ...others], from + 1);
  tell(
    "kill",
    `two killed, one of them back: next block ${seconds(performance.now() - startMs)} s after its launch`,
  );
  launch(two);
  await reach(validators, from + 3);
}

async function halves(): Promise<void> {
  const [one, two, three, four] = validators as [Validator, Validator, Validator, Validator];
  const pairs = [one, two].flatMap((a) => [three, four].map((b) => [a, b] as const));
  for (let again = 0; again < 2; again++)
    for (const [a, b] of pairs) {
      await call(a.url, "admin_removePeer", b.kni);
      await call(b.url, "admin_removePeer", a.kni);
    }
  await pause(1_500);
  const from = await height(validators);
  await pause(20_000);
  if ((await height(validators)) !== from) throw new Error("half of the validators made a block");
  const startMs = performance.now();
  for (const [a, b] of pairs) {
    await call(a.url, "admin_addPeer", b.kni);
    await call(b.url, "admin_addPeer", a.kni);
  }
  await reach(validators, from + 3);
  tell("halves", `two and two for 20 s, healed: third block ${seconds(performance.now() - startMs)} s later`);
}

/** Kills validators repeatedly, at any moment of a round; their votes are restored from the messages of others. */
async function kills(count: number): Promise<void> {
  const startMs = performance.now();
  for (let n = 0; n < count; n++) {
    const one = validators[n % COUNT] as Validator;
    await until(async () => (await height([one])) >= (await height(validators)) - 1, 120_000);
    await pause(Math.random() * 1_500);
    await end(one);
    launch(one);
  }
  await reach(validators, (await height(validators)) + 2, 300_000);
  await agree();
  tell(
    "kills",
    `${count} in ${seconds(performance.now() - startMs)} s: one chain of ${await height(validators)} blocks on all`,
  );
}

/** Fails unless all have the same chain. */
async function agree(): Promise<void> {
  const top = Math.min(...(await Promise.all(validators.map((one) => height([one])))));
  for (let number = 1; number <= top; number++) {
    const hashes = await Promise.all(
      validators.map(
        async ({ url }) => (await call(url, "eth_getBlockByNumber", `0x${number.toString(16)}`, false)).hash,
      ),
    );
    if (new Set(hashes).size !== 1) throw new Error(`block ${number} is ${hashes.join(", ")}`);
  }
}

function launch(one: Validator): void {
  const ports = ["--port", String(one.port), "--rpc", "--rpcport", new URL(one.url).port];
  const args = ["--datadir", one.folder, "--nodiscover", ...ports, "--rpcapi", "eth,kaia,net,admin,istanbul"];
  const own = ["--networkid", String(chainId), "--netrestrict", "127.0.0.0/8", "--nat", "extip:127.0.0.1"];
  const quiet = ["--ntp.disable", "--srvtype", "http", "--ipcdisable", "--verbosity", "1"];
  const rewards = ["--rewardbase", `0x${"77".repeat(20)}`];
  const [program, ...rest] = one.isGo
    ? [goProgram(), ...args, ...own, ...quiet, ...rewards]
    : [process.execPath, ...profiling, PROGRAM, "node", ...args, "--nodetype", "cn"];
  one.child = spawn(program as string, rest, {
    stdio: "ignore",
    env: { ...process.env, P2P_ADDR: "127.0.0.1" },
  });
}

function goProgram(): string {
  const { KAIA_BIN } = process.env;
  if (KAIA_BIN === undefined) throw new Error("KAIA_BIN must name the folder of the Go nodes");
  return join(KAIA_BIN, "kcn");
}

/** Stops a node cleanly, so that its profile is written. */
function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGINT");
  });
}

function end({ child }: Validator): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

function run(...args: string[]): void {
  execute(process.execPath, [PROGRAM, ...args]);
}

function execute(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function transfer(key: Uint8Array, nonce: bigint, to: Uint8Array, value: bigint): string {
  const type = TRANSACTION_TYPES.find(({ code }) => code === TypeCode.legacy);
  if (type === undefined) throw new Error("no such type");
  const tx = createTransaction({
    type,
    nonce,
    gas: 21_000n,
    gasPrice: GAS_PRICE,
    to,
    value,
    input: EMPTY_BYTES,
  });
  return bytesToHex(encodeTransaction(signTransaction(tx, [key], chainId)));
}

function addressOf(key: Uint8Array): Uint8Array {
  return addressOfPublicKey(publicKeyOf(key));
}

/** Submits transactions, and resubmits those rejected by a full pool. */
async function submit(url: string, raw: readonly string[]): Promise<void> {
  for (let rest = raw; rest.length > 0; ) {
    const calls = rest.map((tx, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_sendRawTransaction",
      params: [tx],
    }));
    const answers = (await post(url, calls)) as {
      readonly id: number;
      readonly error?: { message: string };
    }[];
    const failed = answers.filter(({ error }) => error !== undefined);
    const other = failed.find(({ error }) => !error?.message.startsWith("txpool is full"));
    if (other !== undefined) throw new Error(other.error?.message);
    rest = failed.map(({ id }) => rest[id] as string);
    if (rest.length > 0) await pause(200);
  }
}

/** User and system time of all processes. */
function cpuSeconds(): number {
  let ticks = 0;
  for (const { child } of validators) {
    const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

async function roundsOf(from: number, to: number, of?: Validator): Promise<string> {
  const counts = new Map<number, number>();
  await countRounds(counts, from, to, of);
  return textOf(counts);
}

/** Sums the rounds of blocks, as reported by one of the validators. */
async function countRounds(
  counts: Map<number, number>,
  from: number,
  to: number,
  of = validators[0],
): Promise<void> {
  for (let number = from; number <= to; number++) {
    const block = await call(
      of?.url ?? "",
      "kaia_getBlockWithConsensusInfoByNumber",
      `0x${number.toString(16)}`,
    );
    counts.set(Number(block.round), (counts.get(Number(block.round)) ?? 0) + 1);
  }
}

function textOf(counts: ReadonlyMap<number, number>): string {
  return [...counts].map(([round, count]) => `${round}: ${count}`).join(", ");
}

/** The highest of those that respond. */
async function height(some: readonly Validator[]): Promise<number> {
  const all = some.map(({ url }) => call(url, "eth_blockNumber").then(Number, () => 0));
  return Math.max(...(await Promise.all(all)));
}

function reach(some: readonly Validator[], number: number, limitMs = 1_200_000): Promise<void> {
  return until(async () => {
    const all = await Promise.all(some.map((one) => height([one])));
    return Math.min(...all) >= number;
  }, limitMs);
}

async function until(isMet: () => Promise<boolean>, limitMs = 120_000, pauseMs = 50): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error("the condition was not met");
    await pause(pauseMs);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
async function call(url: string, method: string, ...params: unknown[]): Promise<any> {
  const { result, error } = await post(url, { jsonrpc: "2.0", id: 1, method, params });
  if (error) throw new Error(error.message);
  return result;
}

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
async function post(url: string, body: unknown): Promise<any> {
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function tell(phase: string, text: string): void {
  console.log(`${phase}: ${text} (load ${(loadavg()[0] as number).toFixed(0)})`);
}
