import { createServer, type Socket } from "node:net";
import { Allowance } from "../../../platform/http/budget.ts";
import { BodyBuffer } from "../../../platform/http/connection/body-buffer.ts";
import { Outflow } from "../../../platform/http/connection/outflow.ts";
import { createGuard } from "../../../platform/http/guard.ts";
import type { Listener } from "../../../platform/http/listener.ts";
import { Scanner } from "../../../protocol/codec/json/scanner.ts";
import { ErrorCode } from "../engine/errors.ts";
import { errorText } from "../engine/jsonrpc.ts";
import type { Access } from "../engine/registry.ts";
import type { RpcServer } from "../engine/server.ts";
import { type Carrier, Conversation } from "./conversation.ts";
import { listenForOwner } from "./ipc-path.ts";

/** Longest request text, in bytes. */
const MAX_TEXT = 64 * 1024 * 1024;
/** Bytes buffered for a client beyond which nothing is read from it. */
const FULL = 4 * 1024 * 1024;
/** Most concurrent clients: the owner of the node and its programs. */
const MAX_CLIENTS = 256;
/** Milliseconds between checks of all clients. */
const LOOK_INTERVAL = 10_000;

/**
 * Listens on a unix socket (mode 0600) or, on Windows, a named pipe: a stream of JSON texts without framing; each answer
 * ends with a line feed.
 * @param path of the socket; one that nobody listens on is replaced
 * @throws IpcPathError for a path that is too long, or of something else than a socket
 */
export async function listenIpc(server: RpcServer, access: Access, path: string): Promise<Listener> {
  const sockets = new Map<Socket, Outflow>();
  const onFault = (error: unknown) => server.reportDefect("ipc", error);
  const listener = createServer({ allowHalfOpen: true }, (socket) =>
    createGuard(
      () => socket.destroy(),
      onFault,
    )(() => {
      sockets.set(socket, serve(server, access, socket));
      socket.once("close", () => sockets.delete(socket));
    }),
  );
  listener.maxConnections = MAX_CLIENTS;
  await listenForOwner(listener, path);
  const clock = setInterval(() => {
    for (const out of sockets.values()) if (out.isStalled) out.cutOff();
  }, LOOK_INTERVAL).unref();
  return {
    address: path,
    port: 0,
    async close() {
      clearInterval(clock);
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
}

/** @returns what is sent to the client */
function serve(server: RpcServer, access: Access, socket: Socket): Outflow {
  let halfClosed = false;
  const endIfDone = () => {
    if (halfClosed && !conversation.isBusy) out.end();
  };
  const carrier: Carrier = {
    send: (text) => out.write(typeof text === "string" ? `${text}\n` : text.within("", "\n")),
    answered: () => endIfDone(),
    get isFull() {
      return out.held > FULL;
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cutOff: () => out.cutOff(),
  };
  const out = new Outflow(socket, server.budget.unsent, carrier);
  const conversation = new Conversation(server, access, carrier);
  const texts = new TextStream(
    (text) => conversation.receive(text),
    (reason) => {
      carrier.send(errorText(undefined, { code: ErrorCode.parse, message: reason }));
      out.end();
    },
  );
  const { guard } = conversation;
  socket.on("data", (chunk: Buffer) => guard(() => texts.take(chunk)));
  socket.on("drain", () => guard(() => conversation.goOn()));
  socket.on("end", () =>
    guard(() => {
      halfClosed = true;
      endIfDone();
    }),
  );
  socket.on("error", () => socket.destroy());
  socket.on("close", () =>
    guard(() => {
      texts.close();
      conversation.end();
    }),
  );
  return out;
}

/** Separators between texts do not start one. */
function afterLineFeeds(chunk: Buffer, from: number): number {
  let at = from;
  while (chunk[at] === 0x0a || chunk[at] === 0x0d) at++;
  return at;
}

/** Splits a byte stream into JSON texts. */
class TextStream {
  readonly #onText: (text: Buffer) => void;
  readonly #onError: (reason: string) => void;
  readonly #begun = new BodyBuffer(MAX_TEXT, new Allowance(2 * MAX_TEXT));
  #scanner = new Scanner();
  #broken = false;

  constructor(onText: (text: Buffer) => void, onError: (reason: string) => void) {
    this.#onText = onText;
    this.#onError = onError;
  }

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#broken; ) {
      if (this.#begun.length === 0) at = afterLineFeeds(chunk, at);
      const scan = this.#scanner.scan(chunk, at);
      const end = scan.status === "complete" ? scan.end : chunk.length;
      if (scan.status === "invalid") this.#fail(scan.reason);
      else if (this.#begun.length + end - at > MAX_TEXT) this.#fail("request too large");
      else if (scan.status === "complete") this.#complete(chunk.subarray(at, end));
      else this.#begun.append(chunk.subarray(at));
      at = end;
    }
  }

  /** Discards a partial text. */
  close(): void {
    this.#begun.release();
  }

  /** @param last - piece of the text; most have but one */
  #complete(last: Buffer): void {
    this.#scanner = new Scanner();
    if (this.#begun.length === 0) this.#onText(last);
    else {
      this.#begun.append(last);
      this.#onText(this.#begun.hand());
    }
  }

  #fail(reason: string): void {
    this.#broken = true;
    this.#begun.release();
    this.#onError(reason);
  }
}
