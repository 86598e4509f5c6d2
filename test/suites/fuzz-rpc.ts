// Fuzzes a node: calls of every declared method with arguments generated from its schemas, and mutated texts and bytes, over HTTP,
// WebSocket and IPC. The node must respond to each with well-formed JSON-RPC (or close the connection if no response is possible),
// without internal errors, and must not leak connections, files or memory.
// `--inputs N` sets their number, `--seed S` the seed, `--first I` the first input, `--jobs J` the concurrency; `--chain dev` tests a
// development chain, `--damage any` also calls, over IPC, methods that stop listeners, rewind, write files and create keys.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  argumentsOf,
  type DeclaredMethod,
  type Json,
  methodsOf,
  type OpenRpcDocument,
} from "./fuzz-rpc/arguments.ts";
import { exchangeBytes, open, post, soon, Talker, tellIpc } from "./fuzz-rpc/channels.ts";
import { faultOf } from "./fuzz-rpc/check.ts";
import { mutatedBytes, mutatedText } from "./fuzz-rpc/mutate.ts";
import { Random } from "./fuzz-rpc/random.ts";
import { type Damage, isCalled, startTarget } from "./fuzz-rpc/target.ts";

const MAX_RSS_GROWTH = 300 * 2 ** 20;
const MAX_NEW_FILES = 40;
/** Share of inputs after which caches and compiled code have reached their size. */
const WARM_UP = 0.25;
const REPORT_EVERY = 5000;

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "1500" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
    jobs: { type: "string", default: "8" },
    chain: { type: "string", default: "node" },
    damage: { type: "string", default: "none" },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);
const first = Number(values.first);
const damage = values.damage as Damage;
const node = await startTarget(values.chain as "node" | "dev");
const alive = JSON.parse(await tellVersion()) as { result: string };
let faults = 0;
try {
  const methods = await declaredMethods();
  console.log(`${methods.length} methods, ${inputs} inputs, seed ${seed}`);
  await run(methods);
} finally {
  await node.stop();
}
console.log(`${inputs} inputs, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);

function fault(text: string): void {
  faults++;
  console.log(`FAILED ${text}`);
}

async function declaredMethods(): Promise<DeclaredMethod[]> {
  const [text = ""] = await tellIpc(node.ipcPath, '{"jsonrpc":"2.0","id":1,"method":"rpc_discover"}');
  const { result } = JSON.parse(text) as { result: OpenRpcDocument };
  return methodsOf(result).filter(({ name }) => isCalled(name, damage));
}

async function tellVersion(): Promise<string> {
  return (await tellIpc(node.ipcPath, '{"jsonrpc":"2.0","id":1,"method":"net_version"}'))[0] ?? "{}";
}

async function run(methods: readonly DeclaredMethod[]): Promise<void> {
  const started = performance.now();
  let before = usage();
  let next = 0;
  let warm = false;
  const work = async (job: number) => {
    const talker = new Talker(node);
    while (next < inputs && faults < 50) {
      const input = first + next++;
      if (!warm && next >= inputs * WARM_UP) {
        warm = true;
        before = usage();
      }
      await one(
        new Random(seed * 1_000_003 + input),
        methods,
        talker,
        `seed ${seed} input ${input} job ${job}`,
      );
      if (input % REPORT_EVERY === REPORT_EVERY - 1) console.log(`${input + 1} inputs, ${faults} faults`);
      if (input % 64 === 0) talker.close();
    }
    talker.close();
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, (_, job) => work(job)));
  await compareUsage(before);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${(next / seconds).toFixed(0)} inputs a second`);
}

async function one(
  random: Random,
  methods: readonly DeclaredMethod[],
  talker: Talker,
  where: string,
): Promise<void> {
  const text = requestText(random, methods);
  // If listeners may be stopped, only IPC remains.
  const kind = damage === "any" ? 12 : random.below(20);
  try {
    if (kind < 8) checkHttp(await soon(post(node.httpPort, text), text.slice(0, 300)), text, where);
    else if (kind < 12) checkAll(await talker.tell(text), text, where);
    else if (kind < 16) checkAll(await tellIpc(node.ipcPath, text), text, where);
    else if (kind === 16) await sendBytes(random, "http", httpBytes(text), where);
    else if (kind === 17) await sendBytes(random, "ipc", Buffer.from(text), where);
    else if (kind === 18) await sendBytes(random, "ws", webSocketBytes(random, text), where);
    else
      await sendBytes(
        random,
        random.pick(["http", "ws", "ipc"] as const),
        random.bytes(random.below(300)),
        where,
      );
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { message?: string } };
    fault(`${where}: ${message} ${cause?.message ?? ""}`);
  }
}

function requestText(random: Random, methods: readonly DeclaredMethod[]): string {
  const request = (): Json => {
    const method = random.pick(methods);
    const id: Json = random.chance(0.9) ? random.below(1000) : random.pick([null, "x", 1.5, [], true, {}]);
    const name = random.chance(0.03)
      ? random.pick(["eth_subscribe", "kaia_unsubscribe", "x", ""])
      : method.name;
    return { jsonrpc: "2.0", id, method: name, params: argumentsOf(random, method) };
  };
  const value = random.chance(0.1) ? Array.from({ length: random.below(6) }, request) : request();
  const text = JSON.stringify(value);
  return random.chance(0.3) ? mutatedText(random, text) : text;
}

function checkHttp({ status, text }: { status: number; text: string }, request: string, where: string): void {
  if (status !== 200) fault(`${where}: status ${status} to ${request.slice(0, 500)}`);
  else checkAll([text], request, where);
}

function checkAll(answers: readonly string[], request: string, where: string): void {
  for (const answer of answers) {
    const found = faultOf(answer);
    if (found !== undefined)
      fault(`${where}: ${found} in ${answer.slice(0, 300)} to ${request.slice(0, 700)}`);
  }
}

function httpBytes(text: string): Buffer {
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return Buffer.from(head + text);
}

/** A handshake and a masked text frame. */
function webSocketBytes(random: Random, text: string): Buffer {
  const key = random.bytes(16).toString("base64");
  const head =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: " +
    `13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
  const payload = Buffer.from(text).subarray(0, 60_000);
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from(head), Buffer.from([0x81, ...length, 0, 0, 0, 0]), payload]);
}

/** The node must survive whatever the result. */
async function sendBytes(
  random: Random,
  channel: "http" | "ws" | "ipc",
  bytes: Buffer,
  where: string,
): Promise<void> {
  const socket = await open(node, channel);
  const answer = await exchangeBytes(socket, mutatedBytes(random, bytes), 30);
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
  if (channel === "http" && status === "500") fault(`${where}: status 500`);
  const { text } = await soon(post(node.httpPort, '{"jsonrpc":"2.0","id":1,"method":"net_version"}'), where);
  if (!text.includes(`"result":"${alive.result}"`)) fault(`${where}: ${text} after ${bytes.toString("hex")}`);
}

interface Usage {
  readonly rss: number;
  readonly files: number;
}

/** Memory and open files of the node; undefined if not available. */
function usage(): Usage | undefined {
  const proc = `/proc/${node.pid}`;
  if (!existsSync(proc)) return undefined;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`${proc}/status`, "utf8"))?.[1];
  return { rss: Number(kilobytes) * 1024, files: readdirSync(`${proc}/fd`).length };
}

async function compareUsage(before: Usage | undefined): Promise<void> {
  // Connections that were cut off are closed within the node's timeouts.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const after = usage();
  if (before === undefined || after === undefined) return;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  console.log(
    `memory ${megabytes(before.rss)} → ${megabytes(after.rss)}, open files ${before.files} → ${after.files}`,
  );
  if (after.rss - before.rss > MAX_RSS_GROWTH) fault("memory has grown");
  if (after.files - before.files > MAX_NEW_FILES) fault("connections or files are left open");
}
