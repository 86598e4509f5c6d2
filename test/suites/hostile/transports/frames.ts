import { once } from "node:events";
import type { Socket } from "node:net";
import { heldTimes } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, BLOCK_NUMBER, memoryOf, onNode, openSocket, pause } from "./attacked-node.ts";

const MIB = 1024 * 1024;
const Opcode = { continuation: 0, text: 1, ping: 9 } as const;
const FINAL = 0x80;
/** Clients that send a read full of the smallest frames at the same moment, and how many each. */
const CROWD = { clients: 400, frames: 9000 };
/** Unfinished messages. */
const UNFINISHED = { clients: 150, bytes: 5 * MIB, least: 4.5 * MIB };
/** Messages of one-byte fragments, each among pings that fill a read. */
const SCATTERED = { clients: 8, fragments: 8000, pings: 64 };
/** MiB more: what a client's message may take, and garbage. */
const MAX_SCATTERED = 8 * 16 + 100;
/** MiB more: the budget for incoming messages, duplicated in the library, and garbage. */
const MAX_MEMORY = 480;
const PINGERS = 40;
/** More than the limit of 4 MiB of unread responses, beyond which reading stops. */
const KEPT_ALIVE = 8300;
/** Maximum CPU time in milliseconds for which pings and messages may block the main thread. */
const MAX_HELD = 150;

/** A frame of a client, under a mask of zeros. @param claim - the length in its header */
function frame(opcode: number, payload: Uint8Array, claim = payload.length, final = FINAL): Buffer {
  const head = Buffer.alloc(claim < 126 ? 6 : 14);
  head[0] = final | opcode;
  head[1] = 0x80 | (claim < 126 ? claim : 127);
  if (claim >= 126) head.writeBigUInt64BE(BigInt(claim), 2);
  return Buffer.concat([head, payload]);
}

/** A WebSocket accessed as raw bytes. */
async function upgraded({ wsPort }: AttackedNode): Promise<Socket> {
  const socket = openSocket(wsPort);
  const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${wsPort}\r\nConnection: Upgrade\r\nUpgrade: websocket`;
  socket.write(`${head}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`);
  const answer = await new Promise<string>((resolve) => socket.once("data", (data) => resolve(`${data}`)));
  hold(answer.startsWith("HTTP/1.1 101"), answer.slice(0, 100));
  return socket;
}

async function unfinished(node: AttackedNode): Promise<string> {
  const before = memoryOf(node);
  const begun = frame(Opcode.text, Buffer.alloc(UNFINISHED.least, 0x20), UNFINISHED.bytes);
  const sockets: Socket[] = [];
  const told: string[] = [];
  for (let i = 0; i < UNFINISHED.clients; i++) {
    const socket = await upgraded(node);
    socket.on("data", (data) => told.push(data.toString("latin1")));
    socket.write(begun);
    sockets.push(socket);
  }
  const countRefused = () => told.filter((text) => text.includes("too many requests are coming in")).length;
  // A busy machine may take long to read them.
  for (let tries = 0; tries < 20 && (tries < 2 || countRefused() <= UNFINISHED.clients / 2); tries++)
    await pause(1000);
  const more = memoryOf(node) - before;
  const refused = countRefused();
  for (const socket of sockets) socket.destroy();
  const figure = `${UNFINISHED.clients} messages of 5 MiB that are not ended: ${refused} refused with 1013, ${more} MiB more`;
  hold(refused > UNFINISHED.clients / 2 && more < MAX_MEMORY, figure);
  return figure;
}

/** Fragments whose bytes are few, but which hold whatever was read with them. */
async function scattered(node: AttackedNode): Promise<string> {
  const before = memoryOf(node);
  const pinged = Array<Buffer>(SCATTERED.pings).fill(frame(Opcode.ping, Buffer.alloc(122)));
  const part = Buffer.concat([frame(Opcode.continuation, Buffer.from(" "), 1, 0), ...pinged]);
  let refused = 0;
  const send = async (socket: Socket): Promise<void> => {
    socket.on("data", (data) => {
      if (data.includes("message in too many parts")) refused++;
    });
    socket.write(frame(Opcode.text, Buffer.from("["), 1, 0));
    const gone = once(socket, "close").catch(() => {}); // or an error: it is still sending
    for (let i = 0; i < SCATTERED.fragments && !socket.destroyed; i++)
      if (!socket.write(part)) await Promise.race([gone, once(socket, "drain").catch(() => {})]);
  };
  const sockets = await Promise.all(Array.from({ length: SCATTERED.clients }, () => upgraded(node)));
  let most = 0;
  const looking = setInterval(() => (most = Math.max(most, memoryOf(node) - before)), 50);
  await Promise.race([Promise.all(sockets.map(send)), pause(20_000)]);
  clearInterval(looking);
  for (const socket of sockets) socket.destroy();
  const figure = `${SCATTERED.clients} messages of ${SCATTERED.fragments} fragments among pings: ${refused} refused with 1008, ${most} MiB more`;
  hold(refused === SCATTERED.clients && most < MAX_SCATTERED, figure);
  return figure;
}

async function pings(node: AttackedNode): Promise<string> {
  const before = memoryOf(node);
  const flood = Buffer.concat(Array<Buffer>(1000).fill(frame(Opcode.ping, new Uint8Array(0))));
  const sockets = await Promise.all(Array.from({ length: PINGERS }, () => upgraded(node)));
  let isOver = false;
  let sent = 0;
  const send = async (socket: Socket): Promise<void> => {
    while (!isOver && !socket.destroyed) {
      if (!socket.write(flood))
        await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
      sent += 1000;
    }
  };
  for (const [i, socket] of sockets.entries()) {
    if (i % 2 === 0) socket.pause();
    void send(socket);
  }
  const held = Math.max(...(await heldTimes(node, pause(5000))));
  isOver = true;
  const more = memoryOf(node) - before;
  for (const socket of sockets) socket.destroy();
  const figure =
    `${PINGERS} clients with ${sent} pings, half of them unread: ${more} MiB more, the main thread held for ${held} ` +
    "ms of its time at most";
  hold(more < 100 && held < MAX_HELD, figure);
  return figure;
}

/** Many clients whose frames have all arrived when the node reads: fragments of a message, or invalid messages. */
async function crowd(node: AttackedNode): Promise<string> {
  const fragment = frame(Opcode.continuation, Buffer.from(" "), 1, 0);
  const kinds = {
    fragments: [frame(Opcode.text, Buffer.from("["), 1, 0), ...Array<Buffer>(CROWD.frames).fill(fragment)],
    messages: Array<Buffer>(CROWD.frames).fill(frame(Opcode.text, Buffer.from("{}"))),
  };
  const figures: string[] = [];
  for (const [kind, frames] of Object.entries(kinds)) {
    const bytes = Buffer.concat(frames);
    const sockets = await Promise.all(Array.from({ length: CROWD.clients }, () => upgraded(node)));
    for (const socket of sockets) socket.resume().write(bytes);
    const held = Math.max(...(await heldTimes(node, pause(5000))));
    for (const socket of sockets) socket.destroy();
    figures.push(`${CROWD.clients} clients with ${CROWD.frames} ${kind}: held for ${held} ms at most`);
    hold(held < MAX_HELD, figures.join("; "));
  }
  return figures.join("; ");
}

/** Keep-alive pings over hours; each reply was once counted as unread forever. */
async function keepAlive(node: AttackedNode): Promise<void> {
  const socket = await upgraded(node);
  const next = () => new Promise<string>((resolve) => socket.once("data", (data) => resolve(`${data}`)));
  for (let i = 0; i < KEPT_ALIVE; i++) {
    const pong = next();
    socket.write(frame(Opcode.ping, new Uint8Array(0)));
    await pong;
  }
  const answer = next();
  socket.write(frame(Opcode.text, Buffer.from(BLOCK_NUMBER)));
  const late = pause(30_000).then(() => "nothing within 30 s");
  const got = await Promise.race([answer, late]);
  hold(got.includes('"result":"0x'), `after ${KEPT_ALIVE} pings: ${got}`);
  socket.destroy();
}

/** Frames that are not requests. */
export const frames: HostileRow = {
  id: "L27",
  promise: "unfinished messages and pings over WebSockets cost bounded memory and delay nobody",
  run: () =>
    onNode(async (node) => {
      await keepAlive(node);
      const reached = [await scattered(node), await pings(node), await unfinished(node), await crowd(node)];
      return reached.join("; ");
    }),
};
