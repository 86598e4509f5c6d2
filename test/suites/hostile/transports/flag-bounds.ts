import { once } from "node:events";
import { readdirSync } from "node:fs";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { answer, ask, begin } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  BLOCK_NUMBER,
  onNode,
  openSocket,
  pause,
  post,
  statusOf,
} from "./attacked-node.ts";

const BOUNDS = { gas: 1_000_000, calls: 3, connections: 6, unsent: 1 << 20, subscriptions: 2 };
const POOL = { pending: 4, queued: 3, queuedOfOne: 2 };
const FLAGS: readonly (readonly [string, number])[] = [
  ["rpc.gascap", BOUNDS.gas],
  ["rpc.max-calls", BOUNDS.calls],
  ["rpc.max-connections", BOUNDS.connections],
  ["rpc.max-unsent", BOUNDS.unsent],
  ["rpc.max-subscriptions", BOUNDS.subscriptions],
  ["txpool.exec-slots.account", 1],
  ["txpool.exec-slots.all", POOL.pending],
  ["txpool.nonexec-slots.account", POOL.queuedOfOne],
  ["txpool.nonexec-slots.all", POOL.queued],
];
/** Init code that returns the gas that is left. */
const GAS_LEFT = "0x5a60005260206000f3";
/** Code that loops until its gas is used up. */
const LOOP = "0x5b600056";
const LOOPING = "0x1000000000000000000000000000000000000010";
/** Code that returns this many zeros, for responses of a batch that are never read. */
const ZERO_BYTES = 0x0927c0;
const RETURN_ZEROS = "0x620927c06000f3";
const ZEROS = "0x1000000000000000000000000000000000000011";
const UNREAD = 10;

async function holdGas(port: number): Promise<void> {
  const left = Number(await ask(port, "eth_call", [{ data: GAS_LEFT, gas: "0x2faf080" }]));
  hold(left > BOUNDS.gas / 2 && left < BOUNDS.gas, `${left} gas under a cap of ${BOUNDS.gas}`);
}

/** Threads of the process are its workers and its initial threads. */
async function holdCalls({ port, child }: AttackedNode): Promise<void> {
  const threads = () => readdirSync(`/proc/${child.pid}/task`).length;
  const before = threads();
  const gas = `0x${BOUNDS.gas.toString(16)}`;
  const traced = { to: LOOPING, gas };
  const endless = Array.from({ length: 2 * BOUNDS.calls }, () =>
    begin(port, "debug_traceCall", [
      traced,
      "latest",
      { stateOverrides: { [LOOPING]: { code: LOOP } }, tracer: "{step(){for(;;){}},fault(){},result(){}}" },
    ]).catch(() => "the node has ended"),
  );
  let max = 0;
  for (let i = 0; i < 40; i++) {
    max = Math.max(max, threads() - before);
    await pause(50);
  }
  const allowed = BOUNDS.calls - 1; // traces never have all of them
  hold(max === allowed, `${max} threads for ${endless.length} traces, ${allowed} allowed`);
}

async function holdConnections(port: number): Promise<void> {
  const open: Socket[] = [];
  try {
    for (let i = 0; i < BOUNDS.connections; i++) {
      const socket = openSocket(port);
      await once(socket, "connect");
      socket.write(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{",
      );
      open.push(socket);
    }
    await pause(300);
    const beyond = await statusOf(port, post(BLOCK_NUMBER, "Connection: close\r\n"));
    hold(beyond === 503, `connection ${BOUNDS.connections + 1} got ${beyond}`);
  } finally {
    for (const socket of open) socket.destroy();
  }
  await pause(300);
  const again = await statusOf(port, post(BLOCK_NUMBER, "Connection: close\r\n"));
  hold(again === 200, `afterwards a connection got ${again}`);
}

async function holdSubscriptions({ endpoints }: AttackedNode): Promise<void> {
  const socket = new WebSocket(endpoints.ws);
  await once(socket, "open");
  const texts: string[] = [];
  socket.on("message", (data) => texts.push(String(data)));
  for (let id = 0; id <= BOUNDS.subscriptions; id++)
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_subscribe", params: ["newHeads"] }));
  while (texts.length <= BOUNDS.subscriptions) await once(socket, "message");
  const refused = texts.filter((text) => text.includes("too many subscriptions on this node")).length;
  hold(refused === 1, `${refused} subscriptions were refused`);
  socket.terminate();
}

/** A response longer than the buffers of two sockets, read only after a while. */
async function holdUnread(port: number): Promise<void> {
  const call = { jsonrpc: "2.0", id: 1, method: "eth_call" };
  const params = [{ to: ZEROS }, "latest", { [ZEROS]: { code: RETURN_ZEROS } }];
  const socket = openSocket(port);
  let bytes = 0;
  socket.on("data", (chunk) => (bytes += chunk.length)).pause();
  const closed = once(socket, "close");
  socket.write(post(JSON.stringify(Array(UNREAD).fill({ ...call, params })), "Connection: close\r\n"));
  await pause(3000);
  socket.resume();
  await closed;
  hold(bytes < 2 * UNREAD * ZERO_BYTES, `all ${bytes} bytes were buffered for a client that did not read`);
}

async function holdPool(port: number): Promise<void> {
  const [from, other] = (await ask(port, "eth_accounts")) as string[];
  const send = (sender: string | undefined, nonce: number) =>
    answer(port, "eth_sendTransaction", [
      { from: sender, to: from, gas: "0x5208", nonce: `0x${nonce.toString(16)}` },
    ]);
  for (let nonce = 0; nonce < 2 * POOL.pending; nonce++) await send(from, nonce);
  for (let i = 0; i < 2 * POOL.queued; i++) await send(other, 10 + i);
  const { pending, queued } = (await ask(port, "txpool_status")) as { pending: string; queued: string };
  hold(Number(pending) === POOL.pending, `${Number(pending)} executable, ${POOL.pending} at most`);
  hold(Number(queued) === POOL.queued, `${Number(queued)} queued, ${POOL.queued} at most`);
  const content = (await ask(port, "txpool_content")) as { queued: Record<string, object> };
  const max = Math.max(...Object.values(content.queued).map((queue) => Object.keys(queue).length));
  hold(max === POOL.queuedOfOne, `${max} of one account queued, ${POOL.queuedOfOne} at most`);
}

/** More limits set by flags. */
export const flagBounds: HostileRow = {
  id: "L17",
  promise: "limits of gas, threads, connections, unread bytes, subscriptions and the pool follow the flags",
  run: () =>
    onNode(
      async (node) => {
        await holdConnections(node.port); // first: an idle keep-alive connection would be closed for another
        await holdGas(node.port);
        await holdUnread(node.port);
        await holdSubscriptions(node);
        await holdPool(node.port);
        await holdCalls(node);
        return `${FLAGS.length} flags`;
      },
      ...["--block-time", "1000s", "--txpool.nolocals", "--rpcapi", "eth,net,web3,debug,txpool"],
      ...FLAGS.flatMap(([flag, limit]) => [`--${flag}`, String(limit)]),
    ),
};
