import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  BLOCK_NUMBER,
  LONG_ANSWER,
  memoryOf,
  onNode,
  openSocket,
  post,
  slowestWhile,
  unsentBytes,
} from "./attacked-node.ts";
import { asPage, pageOf } from "./page.ts";

const MIB = 1024 * 1024;
/** The budget, and the MiB that the process may take besides it: threads, and garbage from encoding texts. */
const BOUND = { budget: 128 * MIB, besides: 320 };
/** 24 MB of responses for 3 KB of calls. */
const BATCH = `[${Array(12).fill(LONG_ANSWER).join(",")}]`;
/** Clients over each transport; they request some 6 GB. */
const CLIENTS = { http: 100, page: 16, webSocket: 40, ipc: 20 };
const BATCHES_EACH = 2;
/** Calls with short responses, which take more memory in a queue than their bytes. */
const SHORT_CALLS = 200_000;

function silent(socket: Socket, text: string): Socket {
  socket.on("error", () => socket.destroy());
  socket.on("connect", () => socket.write(text));
  return socket.pause();
}

async function silentWebSocket(url: string, texts: readonly string[]): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on("error", () => {});
  await once(socket, "open");
  socket.pause();
  for (const text of texts) socket.send(text);
  return socket;
}

/** All clients send requests, and none reads. @returns a function that closes them */
async function askEverywhere(node: AttackedNode): Promise<() => void> {
  const { http, page, webSocket, ipc } = CLIENTS;
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
  const pagePort = pageOf(node);
  const sockets = [
    ...times(http, () => silent(openSocket(node.port), post(BATCH))),
    ...times(page, () =>
      silent(openSocket(pagePort), asPage(pagePort, BATCH.replaceAll("eth_call", "kaia_call"))),
    ),
    ...times(ipc, () => silent(createConnection(node.endpoints.ipc), `${BATCH}\n`.repeat(BATCHES_EACH))),
  ];
  const long = Array<string>(BATCHES_EACH).fill(BATCH);
  const short = Array<string>(SHORT_CALLS).fill(BLOCK_NUMBER);
  const webSockets = await Promise.all([
    ...times(webSocket, () => silentWebSocket(node.endpoints.ws, long)),
    ...times(2, () => silentWebSocket(node.endpoints.ws, short)),
  ]);
  return () => {
    for (const socket of sockets) socket.destroy();
    for (const socket of webSockets) socket.terminate();
  };
}

/** Polls the process until `stop`. @returns the maximum memory in MiB, and the maximum of bytes it counted */
async function highest(node: AttackedNode, stop: AbortSignal): Promise<{ memory: number; counted: number }> {
  let [memory, counted] = [0, 0];
  while (!stop.aborted) {
    memory = Math.max(memory, memoryOf(node));
    counted = Math.max(counted, await unsentBytes(node));
    await sleep(20);
  }
  return { memory, counted };
}

/** Responses for clients that do not read, over all listeners, queued or in progress. */
export const unsent: HostileRow = {
  id: "L22",
  promise: "unread responses stay within one budget for all listeners, including those in progress",
  run: () =>
    onNode(
      async (node) => {
        await slowestWhile(node.port, sleep(500)); // includes compiled code in the memory before
        const before = memoryOf(node);
        const watched = new AbortController();
        const watching = highest(node, watched.signal);
        const end = await askEverywhere(node);
        const slowest = await slowestWhile(node.port, sleep(15_000));
        watched.abort();
        const { memory, counted } = await watching;
        end();
        const figure =
          `${memory - before} MiB more at most, ${Math.round(counted / MIB)} counted of ${BOUND.budget / MIB}, others ` +
          `answered within ${slowest} ms`;
        hold(memory - before < BOUND.budget / MIB + BOUND.besides, figure);
        hold(counted > BOUND.budget / 2, figure);
        await sleep(2000);
        const left = await unsentBytes(node);
        hold(left < MIB, `${left} bytes are counted two seconds after all have disconnected`);
        return figure;
      },
      ...["--rpc.max-unsent", String(BOUND.budget), "--prometheus", "--prometheusport", "0"],
      ...["--dashboard", "--dashboard.port", "0", "--dashboard.public-read"],
    ),
};
