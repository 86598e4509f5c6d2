import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  exchange,
  memoryOf,
  onNode,
  openSocket,
  slowestWhile,
  statusOf,
} from "./attacked-node.ts";

/** Limits of the dashboard: bytes of a request, calls of a batch. */
const MAX = { body: 256 * 1024, batch: 20 };
const GUESSES = 300;
/** More than the limit of connections. */
const HALF_OPEN = 100;
/** Node.js accepts one connection per turn, and a busy machine has few turns. */
const TIMEOUT_MS = 60_000;
/** Limit of unsent bytes for all clients. */
const BUDGET = 256 * 1024 * 1024;
/** Clients that read nothing, their calls with responses of 2 MB each, and the memory allowed in MiB: the budget, and garbage from texts. */
const STALLED = { clients: 16, calls: 12, memory: 400 };
const NUMBER = '{"jsonrpc":"2.0","id":1,"method":"kaia_blockNumber"}';
/** Code that returns a megabyte of zeros, and a call of it. */
const ZEROS = { address: "0x1000000000000000000000000000000000000010", code: "0x620f42406000f3" };
const LONG_CALL = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "kaia_call" },
  params: [{ to: ZEROS.address, gas: "0x2faf080" }, "latest"],
});

/** The dashboard's port. */
export function pageOf(node: AttackedNode): number {
  return Number(new URL((node.endpoints as { readonly dashboard?: string }).dashboard as string).port);
}

/** A request from the page's own origin. */
export function asPage(port: number, body: string, fields = "", path = "/api"): string {
  const own = `127.0.0.1:${port}`;
  const head = `POST ${path} HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\nContent-Type: application/json`;
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${fields}\r\n${body}`;
}

function stream(port: number, fields: string): string {
  const head = `GET /api HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket`;
  return `${head}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${fields}\r\n`;
}

async function guess(port: number): Promise<void> {
  for (let n = 0; n < GUESSES; n++) {
    const token = n.toString(16).padStart(64, "0");
    const exchanged = asPage(port, JSON.stringify({ token }), "Connection: close\r\n", "/api/session");
    const used = asPage(port, NUMBER, `Authorization: Bearer ${token}\r\nConnection: close\r\n`);
    for (const text of [exchanged, used])
      hold((await statusOf(port, text)) === 401, `guess ${n} was not refused`);
  }
}

async function openStreams(port: number): Promise<void> {
  const own = `Origin: http://127.0.0.1:${port}\r\n`;
  const protocol = "Sec-WebSocket-Protocol: kairn.dashboard";
  const refused = [
    `Origin: http://evil.example\r\n${protocol}\r\n`,
    `${protocol}\r\n`,
    own,
    `${own}${protocol}, ${"0".repeat(64)}\r\n`,
    `${own}Sec-WebSocket-Protocol: ${"0".repeat(64)}\r\n`,
  ];
  for (const fields of refused) {
    const status = await statusOf(port, stream(port, fields));
    hold(status >= 400, `a stream with ${JSON.stringify(fields)} got ${status}`);
  }
}

async function sizes(port: number): Promise<void> {
  const close = "Connection: close\r\n";
  const batch = (count: number) => `[${Array(count).fill(NUMBER).join(",")}]`;
  for (const [bytes, status] of [
    [MAX.body, 200],
    [MAX.body + 1, 413],
  ] as const) {
    const got = await statusOf(port, asPage(port, NUMBER.padEnd(bytes), close));
    hold(got === status, `${bytes} bytes: ${got}`);
  }
  hold((await exchange(port, asPage(port, batch(MAX.batch), close))).includes('"result"'), "a batch of 20");
  const more = await exchange(port, asPage(port, batch(MAX.batch + 1), close));
  hold(
    more.includes("batch too large") && !more.includes('"result"'),
    `a batch of 21: ${more.slice(0, 300)}`,
  );
}

/** Long responses that nobody reads. */
async function stall(node: AttackedNode, port: number): Promise<string> {
  await ask(node.port, "anvil_setCode", [ZEROS.address, ZEROS.code]);
  const answer = await exchange(port, asPage(port, LONG_CALL, "Connection: close\r\n"), 30_000);
  hold(answer.length > 1_900_000, `a response of ${answer.length} bytes: ${answer.slice(0, 300)}`);
  const before = memoryOf(node);
  const batch = asPage(port, `[${Array(STALLED.calls).fill(LONG_CALL).join(",")}]`);
  const sockets = openAll(port, STALLED.clients, batch);
  const slowest = await slowestWhile(node.port, sleep(4000));
  const more = memoryOf(node) - before;
  for (const socket of sockets) socket.destroy();
  hold(more < STALLED.memory, `${more} MiB more`);
  return `${more} MiB more beside ${STALLED.clients} clients that read nothing, others answered within ${slowest} ms`;
}

/** Connections with unfinished heads. */
async function halfOpen(port: number): Promise<void> {
  const sockets = openAll(port, HALF_OPEN, "GET / HTTP/1.1\r\nHo");
  await sleep(500);
  const got = await exchange(port, asPage(port, NUMBER, "Connection: close\r\n"), TIMEOUT_MS);
  for (const socket of sockets) socket.destroy();
  hold(got.startsWith("HTTP/1.1 200"), `beside ${HALF_OPEN} connections: ${got.slice(0, 100)}`);
}

function openAll(port: number, count: number, text: string): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = openSocket(port);
    socket.on("connect", () => socket.write(text));
    return socket.pause();
  });
}

/** The dashboard's port, which anybody may read. */
export const page: HostileRow = {
  id: "D6",
  promise: "the dashboard rejects guessed tokens and foreign streams, and unread responses are bounded",
  run: () =>
    onNode(
      async (node) => {
        const port = pageOf(node);
        await guess(port);
        await openStreams(port);
        await sizes(port);
        const figure = await stall(node, port);
        await halfOpen(port);
        return `${2 * GUESSES} guesses and 5 streams refused; ${figure}`;
      },
      ...["--dashboard", "--dashboard.port", "0", "--dashboard.public-read"],
      ...["--rpc.max-unsent", String(BUDGET)],
    ),
};
