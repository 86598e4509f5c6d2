import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { attachTo, EVIL } from "./attached-console.ts";

/** The console's time limit for a call. */
const TIMEOUT = ["--timeout", "5s"];
const TEXT = 1;
const CLOSE = 8;
const PING = 9;

/** A client of the hostile node: a message, and bytes as they are. */
interface Victim {
  readonly socket: Socket;
  readonly id: number;
  say(text: string): void;
}
type Malice = (victim: Victim) => void;

function frame(opcode: number, payload: Uint8Array, isLast = true): Buffer {
  const length = payload.length;
  const header = Buffer.alloc(length < 126 ? 2 : 10);
  header[0] = (isLast ? 0x80 : 0) | opcode;
  header[1] = length < 126 ? length : 127;
  if (length >= 126) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}

const framed = (text: string, opcode = TEXT, isLast = true): Buffer =>
  frame(opcode, Buffer.from(text), isLast);

/** Sends bytes again and again, as fast as they are read. */
function endlessly(socket: Socket, again: string | Uint8Array): void {
  const more = (): void => {
    while (socket.writable && socket.write(again));
  };
  socket.on("drain", more);
  more();
}

const many = (bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(1000).fill(bytes));
const answer = (result: unknown, id: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result });
const event = (result: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription: EVIL, result } });

/** What both kinds of connection can carry. */
const MESSAGES: readonly Malice[] = [
  ({ say, id }) => say(answer(EVIL, id)),
  ({ say, id }) => say(answer({ [EVIL]: [EVIL] }, id)),
  ({ say, id }) => say(JSON.stringify({ id, error: { code: EVIL, message: EVIL, data: { hint: EVIL } } })),
  ({ say }) => say(`${EVIL} no JSON`),
  ({ say }) => say("null"),
  ({ say }) => say(answer(EVIL, [EVIL])),
  ({ say, id }) => say(`{"id":${id},"result":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
  ({ say, id }) => say(`{"id":${id},"result":[${"[],".repeat(20_000_000)}[]]}`),
  ({ say, id }) => say(answer("x".repeat(100 << 20), id)),
  ({ say, id }) => say(answer("x".repeat(140 << 20), id)),
  ({ say, socket }) => {
    const timer = setInterval(() => say(event(EVIL)), 100);
    socket.on("close", () => clearInterval(timer));
  },
  ({ socket }) => void socket.end(),
  ({ socket }) => void socket.resetAndDestroy(),
  () => {},
];

const OVER_WEB_SOCKET: readonly Malice[] = [
  ({ socket }) => endlessly(socket, many(framed(answer(1, 77)))),
  ({ socket }) => endlessly(socket, many(framed(event(EVIL)))),
  ({ socket }) => endlessly(socket, many(framed("", PING))),
  ({ socket }) => endlessly(socket, many(framed("", PING + 1))),
  ({ socket }) => {
    socket.write(framed('"', TEXT, false));
    endlessly(socket, many(framed("x", 0, false)));
  },
  ({ socket }) => {
    socket.write(framed("", TEXT, false));
    endlessly(socket, many(framed("", 0, false)));
  },
  ({ socket }) => {
    socket.write(framed('"', TEXT, false));
    const timer = setInterval(() => socket.write(framed("x", 0, false)), 500);
    socket.on("close", () => clearInterval(timer));
  },
  ({ socket }) => endlessly(socket, "\xff".repeat(1000)),
  ({ socket }) => void socket.write(Buffer.from([0x81, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
  ({ socket }) => void socket.write(Buffer.from([0xc1, 1, 0])), // compressed, though that was not agreed on
  ({ socket }) => void socket.write(frame(TEXT, Buffer.from([0xff, 0xfe]))), // no UTF-8
  ({ socket }) =>
    void socket.write(frame(CLOSE, Buffer.concat([Buffer.from([0x0f, 0xa0]), Buffer.from(EVIL)]))),
];

const OVER_IPC: readonly Malice[] = [
  ({ socket }) => endlessly(socket, `${answer(1, 77)}\n`.repeat(1000)),
  ({ socket }) => endlessly(socket, "\n".repeat(1000)),
  ({ socket }) => endlessly(socket, "x".repeat(1000)),
  ({ socket }) => {
    const timer = setInterval(() => socket.write("x"), 1);
    socket.on("close", () => clearInterval(timer));
  },
];

/** Handshakes that do not succeed. */
const HANDSHAKES: readonly ((socket: Socket) => void)[] = [
  (socket) => endlessly(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)),
  (socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\n");
    endlessly(socket, "x: y\r\n".repeat(1000));
  },
  (socket) => void socket.end(`HTTP/1.1 101 ${EVIL}\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n`),
  (socket) => void socket.end(`HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/${EVIL}\r\n\r\n`),
  (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    endlessly(socket, "x".repeat(1000));
  },
];

/** Attaches consoles to hostile nodes over WebSocket and IPC, once per case. */
export async function hostileSockets(): Promise<string> {
  let peak = 0;
  const cases = [
    ...[...MESSAGES, ...OVER_WEB_SOCKET].map((malice) => () => overWebSocket(malice)),
    ...[...MESSAGES, ...OVER_IPC].map((malice) => () => overIpc(malice)),
    ...HANDSHAKES.map((malice) => () => inHandshake(malice)),
  ];
  for (const attack of cases) peak = Math.max(peak, await attack());
  return `${cases.length} consoles ended in order, at most ${Math.round(peak / 2 ** 20)} MiB`;
}

/** Answers the requests of a console until it makes the call under attack. */
function converse(text: string, malice: Malice, victim: Omit<Victim, "id">): void {
  const { id, method } = JSON.parse(text) as { id: number; method: string };
  if (method === "rpc_modules") victim.say(answer({ eth: "1.0" }, id));
  else if (method === "rpc_discover") victim.say(answer({ methods: [] }, id));
  else malice({ ...victim, id });
}

async function overWebSocket(malice: Malice): Promise<number> {
  const server = createHttpServer();
  new WebSocketServer({ server }).on("connection", (webSocket, { socket }) => {
    const say = (text: string): void => webSocket.send(text);
    webSocket.on("error", () => {});
    webSocket.on("message", (data) => converse(String(data), malice, { socket, say }));
  });
  return attached(server, "ws");
}

async function overIpc(malice: Malice): Promise<number> {
  const path = join(tmpdir(), `kairn-hostile-${process.pid}.ipc`);
  const server = createServer((socket) => {
    const say = (text: string): void => void socket.write(`${text}\n`);
    socket.setEncoding("utf8").on("error", () => {});
    socket.on("data", (text: string) => converse(text, malice, { socket, say }));
  });
  return attached(server, path);
}

async function inHandshake(malice: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => malice(socket));
  });
  return attached(server, "ws");
}

/** @param place - `ws`, or the path of a socket */
async function attached(server: Server, place: string): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    if (place === "ws") server.listen(0, "127.0.0.1", resolve);
    else server.listen(place, resolve);
  });
  const address = place === "ws" ? `ws://127.0.0.1:${(server.address() as AddressInfo).port}` : place;
  try {
    return await attachTo(address, "eth.blockNumber", TIMEOUT);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
