import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createStreamServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { openEndpoint } from "./endpoint.ts";

const { timers } = systemRuntime;

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a text again and again, as fast as it is read. */
function endlessly(socket: Pick<Socket, "write" | "writable" | "on">, again: string | Buffer): void {
  const more = (): void => {
    while (socket.writable && socket.write(again));
  };
  socket.on("drain", more).on("error", () => {});
  more();
}

const frame = (opcode: number, payload = "", isLast = true): Buffer =>
  Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, payload.length]), Buffer.from(payload)]);
const TEXT = 1;
const PING = 9;
const MODULES = '{"jsonrpc":"2.0","id":0,"result":{"eth":"1.0"}}';

/** A node that responds to the first call over HTTP, and to the others as given. */
async function overHttp(answer: RequestListener): Promise<string> {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (++calls === 1) response.end(MODULES);
    else answer(request, response);
  });
  return `http://${await listening(server)}`;
}

/** A node that responds to each message over WebSocket with raw bytes. */
async function overWebSocket(answer: (socket: Socket, webSocket: WebSocket) => void): Promise<string> {
  const server = createServer();
  new WebSocketServer({ server }).on("connection", (webSocket, { socket }) => {
    webSocket.on("error", () => {}).on("message", () => answer(socket as Socket, webSocket));
  });
  return `ws://${await listening(server)}`;
}

async function overIpc(answer: (socket: Socket) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-ipc-"));
  const path = join(folder, "s");
  const server = createStreamServer((socket) => {
    socket.on("error", () => {}).on("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const wrong = '{"jsonrpc":"2.0","id":77,"result":1}';
const event = '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x9","result":1}}';

const HTTP: readonly [string, RequestListener, RegExp][] = [
  [
    "interim",
    (_, { socket }) => endlessly(socket as Socket, "HTTP/1.1 102 Processing\r\n\r\n"),
    /interim responses/,
  ],
  [
    "drizzle",
    (_, { socket }) => {
      socket?.write(CHUNKED);
      endlessly(socket as Socket, "1\r\nx\r\n".repeat(1000));
    },
    /in more than 65536 pieces/,
  ],
  ["silence", () => {}, /no response within 200 ms/],
  ["a list", (_, response) => response.end(`[${"[],".repeat(5_000_000)}[]]`), /more than 4000000 values/],
  ["nesting", (_, response) => response.end("[".repeat(20_000)), /more than 10000 levels/],
  ["null", (_, response) => response.end("null"), /not JSON-RPC/],
  ["a list of null", (_, response) => response.end("[null]"), /no response in the batch/],
];
const WEB_SOCKET: readonly [string, (socket: Socket, webSocket: WebSocket) => void, RegExp][] = [
  [
    "fragments of a byte",
    (socket) => {
      socket.write(frame(TEXT, "x", false));
      endlessly(socket, Buffer.concat(Array(1000).fill(frame(0, "x", false))));
    },
    /Too many message fragments/,
  ],
  [
    "empty fragments",
    (socket) => {
      socket.write(frame(TEXT, "", false));
      endlessly(socket, Buffer.concat(Array(1000).fill(frame(0, "", false))));
    },
    /Too many message fragments/,
  ],
  ["pings", (socket) => endlessly(socket, Buffer.concat(Array(1000).fill(frame(PING)))), /endless pings/],
  ["wrong ids", (socket) => endlessly(socket, frame(TEXT, wrong)), /nobody asked for/],
  ["events", (socket) => endlessly(socket, frame(TEXT, event)), /nobody asked for/],
  ["no JSON", (_, webSocket) => webSocket.send("\u001b[31m"), /connection is closed: Unexpected token/],
  ["nesting", (_, webSocket) => webSocket.send("[".repeat(20_000)), /more than 10000 levels/],
  ["silence", () => {}, /no complete response within 200 ms/],
];
const IPC: readonly [string, (socket: Socket) => void, RegExp][] = [
  ["blank lines", (socket) => endlessly(socket, "\n".repeat(1000)), /blank lines/],
  ["wrong ids", (socket) => endlessly(socket, `${wrong}\n`), /nobody asked for/],
  ["a list", (socket) => socket.write(`[${"[],".repeat(5_000_000)}[]]\n`), /more than 4000000 values/],
  ["silence", () => {}, /no complete response within 200 ms/],
];

it.each(HTTP)("is protected from a node that responds with endless %s over HTTP", async (_, answer, says) => {
  const { request, close } = await openEndpoint(await overHttp(answer), { timers, timeoutMs: timeFor(says) });
  await expect(request("eth_any", [])).rejects.toThrow(says);
  close();
});

it.each(WEB_SOCKET)(
  "is protected from a node that responds with endless %s over WebSocket",
  async (_, answer, says) => {
    const { request, close } = await openEndpoint(await overWebSocket(answer), {
      timers,
      timeoutMs: timeFor(says),
    });
    await expect(request("eth_any", [])).rejects.toThrow(says);
    close();
  },
);

it.each(IPC)("is protected from a node that responds with endless %s over IPC", async (_, answer, says) => {
  const { request, close } = await openEndpoint(await overIpc(answer), { timers, timeoutMs: timeFor(says) });
  await expect(request("eth_any", [])).rejects.toThrow(says);
  close();
});

/** Short only where nothing else ends the wait. */
const timeFor = (says: RegExp): number => (says.source.includes("200 ms") ? 200 : 60_000);

it("a node whose handshake never ends is abandoned", async () => {
  const server = createServer().on("upgrade", (_, socket) =>
    endlessly(socket as Socket, "HTTP/1.1 103 Early Hints\r\n\r\n"),
  );
  await expect(openEndpoint(`ws://${await listening(server)}`, { timers })).rejects.toThrow(
    "endless interim responses",
  );
});

it("a node that closes before the handshake ends is named", async () => {
  const path = await overIpc(() => {});
  await expect(openEndpoint(`${path}-none`, { timers })).rejects.toThrow("ENOENT");
});
