import { once } from "node:events";
import { WebSocket } from "ws";
import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  exchange,
  LONG_ANSWER,
  memoryOf,
  onNode,
  openSocket,
  pause,
  post,
} from "./attacked-node.ts";

/** A call with a response of ten megabytes. */
const CALL = LONG_ANSWER.replace("0x620f4240", "0x624c4b40");
const CLIENTS = { http: 130, webSocket: 20 };
/** Clients over HTTP, and over WebSocket, that never complete a request of `UNFINISHED` bytes. */
const SLOW = { http: 60, webSocket: 40 };
const UNFINISHED = 2_400_000;
/** Clients over HTTP, and over WebSocket, that warm up the node, each with a response read to its end. */
const WARMING = 5;
/** Small requests that warm it up too, so that V8's space for new objects has its usual size. */
const SMALL = 300;
const BATCH = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_getBlockByNumber",
    params: ["latest", false],
  })),
);
const STORM_MS = 8000;
/** Longer than the node takes to notice that it is idle, and to collect garbage. */
const IDLE_MS = 15_000;
/** Maximum memory after the storm, as a multiple of that before. */
const KEPT = 1.3;
/** MiB that the storm must take at least. */
const STORM = 300;

/** Clients that send requests and read nothing. @returns a function that disconnects all of them */
async function unreadResponses({ port, endpoints }: AttackedNode): Promise<() => void> {
  const sockets = Array.from({ length: CLIENTS.http }, () => {
    const socket = openSocket(port).pause();
    socket.on("connect", () => socket.write(post(CALL)));
    return socket;
  });
  const webSockets = Array.from({ length: CLIENTS.webSocket }, () => new WebSocket(endpoints.ws));
  for (const socket of webSockets) {
    socket.on("error", () => socket.terminate());
    await once(socket, "open");
    socket.pause();
    socket.send(CALL);
  }
  return () => {
    for (const socket of sockets) socket.destroy();
    for (const socket of webSockets) socket.terminate();
  };
}

/** Clients that send all but the end of a long request. @returns a function that disconnects all of them */
async function unfinishedRequests({ port, endpoints }: AttackedNode): Promise<() => void> {
  const request = post(" ".repeat(UNFINISHED)).slice(0, -100);
  const sockets = Array.from({ length: SLOW.http }, () => {
    const socket = openSocket(port);
    socket.on("connect", () => socket.write(request));
    return socket;
  });
  const webSockets = Array.from({ length: SLOW.webSocket }, () => new WebSocket(endpoints.ws));
  for (const socket of webSockets) {
    socket.on("error", () => socket.terminate());
    await once(socket, "open");
    socket.send(" ".repeat(UNFINISHED), { fin: false });
  }
  return () => {
    for (const socket of sockets) socket.destroy();
    for (const socket of webSockets) socket.terminate();
  };
}

/** Length of a response over WebSocket. */
async function webSocketResponse({ endpoints }: AttackedNode): Promise<number> {
  const socket = new WebSocket(endpoints.ws);
  await once(socket, "open");
  socket.send(CALL);
  const [data] = (await once(socket, "message")) as [Buffer];
  socket.terminate();
  return data.length;
}

/** Memory of a node that is idle, once it is no more than wanted, or after `IDLE_MS`. */
async function memoryAfter(node: AttackedNode, wanted: number): Promise<number> {
  const end = performance.now() + IDLE_MS;
  while (memoryOf(node) > wanted && performance.now() < end) await pause(100);
  return memoryOf(node);
}

/** Memory of a node after a storm of long responses and requests, without an explicit collection. */
export const returned: HostileRow = {
  id: "L29",
  promise:
    "the memory of long responses and unfinished requests returns to the system once their clients are gone",
  run: () =>
    onNode(async (node) => {
      for (let i = 0; i < SMALL; i++) await exchange(node.port, post(BATCH, "Connection: close\r\n"));
      for (let i = 0; i < WARMING; i++) {
        const { length } = await exchange(node.port, post(CALL, "Connection: close\r\n"));
        hold(Math.min(length, await webSocketResponse(node)) > 1e7, "no long response");
      }
      await pause(IDLE_MS);
      const before = memoryOf(node);
      const leave = [await unreadResponses(node), await unfinishedRequests(node)];
      let most = 0;
      for (const end = performance.now() + STORM_MS; performance.now() < end; await pause(100))
        most = Math.max(most, memoryOf(node));
      for (const each of leave) each();
      const after = await memoryAfter(node, before * KEPT);
      const figure = `${before} MiB before, ${most} with ${CLIENTS.http + CLIENTS.webSocket} unread responses of 10 MB and ${SLOW.http + SLOW.webSocket} unfinished requests of 2.4, ${after} after (${(after / before).toFixed(2)} times)`;
      hold(most > before + STORM && after <= before * KEPT, figure);
      return figure;
    }),
};
