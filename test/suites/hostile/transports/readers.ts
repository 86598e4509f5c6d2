import { createConnection } from "node:net";
import { WebSocket } from "ws";
import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  LONG_ANSWER,
  memoryKept,
  memoryOf,
  onNode,
  pause,
  slowestWhile,
} from "./attacked-node.ts";

const MIB = 1024 * 1024;

async function openWebSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  socket.on("error", () => {});
  await new Promise((resolve, reject) => socket.once("open", resolve).once("close", reject));
  return socket;
}

/** @returns how many of the subscriptions were accepted */
async function subscribe(socket: WebSocket, count: number): Promise<number> {
  let accepted = 0;
  let answered = 0;
  const done = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const text = data.toString();
      if (!text.includes('"id":')) return;
      if (text.includes('"result"')) accepted++;
      if (++answered === count) resolve();
    });
  });
  for (let i = 0; i < count; i++)
    socket.send(`{"jsonrpc":"2.0","id":${i},"method":"eth_subscribe","params":["newHeads"]}`);
  await done;
  return accepted;
}

async function mine({ endpoints }: AttackedNode, blocks: number): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "anvil_mine",
    params: [`0x${blocks.toString(16)}`],
  });
  await fetch(endpoints.http, { method: "POST", headers: { "content-type": "application/json" }, body });
}

async function slowSubscribers(node: AttackedNode, clients: number, each: number): Promise<string> {
  const before = memoryOf(node);
  const sockets = await Promise.all(Array.from({ length: clients }, () => openWebSocket(node.wsPort)));
  const accepted = await Promise.all(sockets.map((socket) => subscribe(socket, each)));
  const running = accepted.reduce((sum, count) => sum + count, 0);
  hold(running === 10_000, `${running} subscriptions run`);
  for (const socket of sockets) socket.pause();
  const storm = (async () => {
    for (let i = 0; i < 10; i++) await mine(node, 1);
  })();
  const slowest = await slowestWhile(node.port, storm);
  const after = memoryOf(node);
  hold(after - before < 400, `${after - before} MiB more`);
  hold(slowest < 3000, `others waited ${slowest} ms`);
  for (const socket of sockets) socket.terminate();
  return `${running} of ${clients * each} subscriptions run; ${after - before} MiB more over 10 blocks, others answered within ${slowest} ms`;
}

/** How often the close code must arrive: a connection reset while the client is still sending usually loses it. */
const OVERSIZED = 4;

async function oversized(node: AttackedNode): Promise<string> {
  for (let i = 0; i < OVERSIZED; i++) {
    const socket = await openWebSocket(node.wsPort);
    const code = new Promise<number>((resolve) => socket.once("close", resolve));
    socket.send("x".repeat(5 * MIB + 1));
    hold((await code) === 1009, `closed with ${await code}`);
  }
  return `a message of 5 MiB and a byte closes with 1009, ${OVERSIZED} times`;
}

/** A client over IPC that sends many requests and reads nothing. */
async function silentOwner(node: AttackedNode): Promise<string> {
  const before = memoryOf(node);
  const socket = createConnection(node.endpoints.ipc);
  socket.on("error", () => socket.destroy());
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  const call = `${LONG_ANSWER}\n`;
  socket.write(call.repeat(500));
  const slowest = await slowestWhile(node.port, pause(4000));
  const after = memoryOf(node);
  socket.destroy();
  hold(after - before < 300, `${after - before} MiB more`);
  hold(slowest < 3000, `others waited ${slowest} ms`);
  return `500 calls over IPC unread: ${after - before} MiB more, others answered within ${slowest} ms`;
}

export const readers: readonly HostileRow[] = [
  {
    id: "L3",
    promise: "subscribers that do not read, unfinished messages and an unread IPC client cost bounded memory",
    run: () =>
      onNode(async (node) => {
        await slowSubscribers(node, 4, 3000); // these warm up the node
        await oversized(node);
        let reached: string[] = [];
        const kept = await memoryKept(node, async () => {
          reached = [await oversized(node), await silentOwner(node), await slowSubscribers(node, 6, 3000)];
        });
        return [...reached, kept].join("; ");
      }),
  },
];
