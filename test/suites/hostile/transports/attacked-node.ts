import { readFileSync } from "node:fs";
import { connect, createConnection, type Socket } from "node:net";
import { type StartedNode, startNode } from "../../../e2e/started-node.ts";
import { hold } from "../row.ts";

/** A node in a separate process, for an attack. */
export interface AttackedNode extends StartedNode {
  readonly port: number;
  readonly wsPort: number;
}

/** Starts a node, attacks it, and checks that it still runs. */
export async function onNode<T>(attack: (node: AttackedNode) => Promise<T>, ...flags: string[]): Promise<T> {
  const node = await startNode(...flags);
  try {
    const attacked = { ...node, port: portOf(node.endpoints.http), wsPort: portOf(node.endpoints.ws) };
    const reached = await attack(attacked);
    hold(
      node.child.exitCode === null && node.child.signalCode === null,
      `the node ended: ${node.printed.stderr}`,
    );
    hold((await askMs(attacked.port)) < 5000, "the node no longer responds");
    return reached;
  } finally {
    await node.stop();
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Resident memory of a process in MiB. */
export function memoryOf({ child }: Pick<AttackedNode, "child">): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

const CONNECTIONS_END_MS = 2000;
/** Maximum resident memory after an attack, as a multiple of that of the warm node before. */
const KEPT = 1.3;

/**
 * Checks that an attack leaves no memory behind. The node must be warm, so that compiled code and the usual heap are included in its
 * memory before.
 * @returns the figure
 */
export async function memoryKept(node: AttackedNode, attack: () => Promise<void>): Promise<string> {
  await pause(CONNECTIONS_END_MS);
  return keptAfter(node, async () => {
    await attack();
    await pause(CONNECTIONS_END_MS);
  });
}

/** The same for a node of any age without other connections, and an attack whose connections have ended. */
export async function keptAfter(node: Collected, attack: () => Promise<void>): Promise<string> {
  const before = await collected(node);
  await attack();
  const after = await collected(node);
  const text =
    `${before.resident} MiB before, ${after.resident} after (${(after.resident / before.resident).toFixed(2)} ` +
    `times), of it in use ${before.used} and ${after.used}`;
  hold(after.resident <= before.resident * KEPT && after.used <= before.used * KEPT, text);
  return text;
}

/** What of a node is needed to have it collect garbage. */
type Collected = Pick<AttackedNode, "child" | "endpoints">;

/** MiB once unused memory has been released. */
async function collected(node: Collected): Promise<{ resident: number; used: number }> {
  await overIpc(node, "debug_freeOSMemory");
  await pause(500);
  const { result } = JSON.parse(await overIpc(node, "debug_memStats")) as { result: { HeapAlloc: number } };
  return { resident: memoryOf(node), used: Math.round(result.HeapAlloc / 2 ** 20) };
}

/** Bytes that a node with `--prometheus` reports as unsent. */
export async function unsentBytes({ endpoints }: AttackedNode): Promise<number> {
  const { metrics } = endpoints as { readonly metrics?: string };
  const text = await (await fetch(metrics as string)).text();
  return Number(/^\w*rpc_unsent_bytes (\S+)$/m.exec(text)?.[1]);
}

function overIpc({ endpoints }: Collected, method: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(endpoints.ipc);
    let text = "";
    socket.on("error", reject).on("data", (chunk) => {
      text += chunk;
      if (!text.endsWith("\n")) return;
      socket.destroy();
      resolve(text);
    });
    socket.write(`{"jsonrpc":"2.0","id":1,"method":"${method}"}\n`);
  });
}

/** A JSON-RPC request over HTTP/1.1. */
export function post(body: string, fields = ""): string {
  const length = Buffer.byteLength(body);
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${fields}\r\n${body}`;
}

export const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}';

const ZEROS = "0x1000000000000000000000000000000000000010";

/** A call of 250 bytes with a response of two megabytes: code that returns zeros. */
export const LONG_ANSWER = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "eth_call" },
  params: [{ to: ZEROS, gas: "0x2faf080" }, "latest", { [ZEROS]: { code: "0x620f42406000f3" } }],
});

/** A socket whose errors are ignored. */
export function openSocket(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false });
  socket.on("error", () => socket.destroy());
  return socket;
}

/** Sends bytes and reads until the other side closes, or on timeout. @returns the received bytes, as Latin-1 */
export function exchange(port: number, bytes: string | Buffer, patienceMs = 10_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = openSocket(port);
    let text = "";
    const done = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(text);
    };
    const late = setTimeout(done, patienceMs);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("close", done);
    socket.on("connect", () => socket.write(bytes));
  });
}

/** Status of the response to one request on a new connection; 0 if there is none. */
export async function statusOf(port: number, bytes: string | Buffer): Promise<number> {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(await exchange(port, bytes))?.[1] ?? 0);
}

/** Milliseconds until `eth_blockNumber` returns on a new connection. @throws Error if it does not */
export async function askMs(port: number): Promise<number> {
  const began = performance.now();
  const text = await exchange(port, post(BLOCK_NUMBER, "Connection: close\r\n"), 20_000);
  hold(text.includes('"result":"0x'), `eth_blockNumber answered ${JSON.stringify(text.slice(0, 200))}`);
  return performance.now() - began;
}

/** Repeats requests while something runs. @returns the slowest response in milliseconds */
export async function slowestWhile(port: number, running: Promise<unknown>): Promise<number> {
  let isOver = false;
  let slowest = 0;
  const over = running.finally(() => {
    isOver = true;
  });
  over.catch(() => {}); // thrown below
  while (!isOver) {
    slowest = Math.max(slowest, await askMs(port));
    await pause(20);
  }
  await over;
  return Math.round(slowest);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
