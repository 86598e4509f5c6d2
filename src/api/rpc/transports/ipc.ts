import { createServer, type Socket } from "node:net";
import { Allowance } from "../../../platform/http/budget.ts";
import { BodyBuffer, BodyError } from "../../../platform/http/connection/body-buffer.ts";
import { Outflow } from "../../../platform/http/connection/outflow.ts";
import { createGuard } from "../../../platform/http/guard.ts";
import type { Listener } from "../../../platform/http/listener.ts";
import { Scanner } from "../../../protocol/codec/json/scanner.ts";
import { ErrorCode } from "../engine/errors.ts";
import { errorText } from "../engine/jsonrpc.ts";
import type { Access } from "../engine/registry.ts";
import type { RpcServer } from "../engine/server.ts";
import type { Text } from "../spec/values/json-text.ts";
import { type Carrier, Conversation } from "./conversation.ts";
import { listenForOwner } from "./ipc-path.ts";

/** Maximum request text, in bytes. */
const MAX_TEXT = 64 * 1024 * 1024;
/** Bytes buffered for a client beyond which nothing is read from it. */
const FULL = 4 * 1024 * 1024;
/** Maximum concurrent clients: the owner of the node and its programs. */
const MAX_CLIENTS = 256;
/** Maximum bytes of incoming texts of all clients. */
const MAX_INCOMING = 4 * MAX_TEXT;
/** Seconds between checks of all clients. */
const CHECK_SECONDS = 10;

/**
 * Listens on a unix socket (mode 0600) or, on Windows, a named pipe: a stream of JSON texts without framing; each response
 * ends with a line feed. If there are too many clients, the one that has been idle for longest is closed, or else
 * the one whose partial text has stalled for longest.
 * @param path of the socket; a stale one is replaced
 * @throws IpcPathError for a path that is too long, or that exists and is not a socket
 */
export async function listenIpc(server: RpcServer, access: Access, path: string): Promise<Listener> {
  // Ordered by when they last sent something.
  const clients = new Set<IpcClient>();
  const incoming = new Allowance(MAX_INCOMING);
  const onFault = (error: unknown) => server.reportDefect("ipc", error);
  const listener = createServer({ allowHalfOpen: true }, (socket) =>
    createGuard(
      () => socket.destroy(),
      onFault,
    )(() => {
      if (clients.size >= MAX_CLIENTS) leastActive(clients)?.end();
      if (clients.size >= MAX_CLIENTS) {
        socket.destroy();
        return;
      }
      const client = new IpcClient(server, access, socket, {
        incoming,
        onSent: () => {
          if (clients.delete(client)) clients.add(client);
        },
        onEnd: () => clients.delete(client),
      });
      clients.add(client);
    }),
  );
  await listenForOwner(listener, path);
  const clock = setInterval(() => {
    for (const client of clients) client.checkTimeouts();
  }, CHECK_SECONDS * 1000).unref();
  return {
    address: path,
    port: 0,
    async close() {
      clearInterval(clock);
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const client of clients) client.end();
      await closed;
    },
  };
}

/** The client to close for a new one. @param clients - ordered by when they last sent something */
function leastActive(clients: Iterable<IpcClient>): IpcClient | undefined {
  let stalled: IpcClient | undefined;
  for (const client of clients) {
    if (client.isIdle) return client;
    if (client.isSending) stalled ??= client;
  }
  return stalled;
}

/** Limits shared by all clients, and callbacks of one. */
interface IpcClientParts {
  readonly incoming: Allowance;
  /** Called when bytes have arrived. */
  readonly onSent: () => void;
  /** Called when the connection is gone. */
  readonly onEnd: () => void;
}

/** One connection to the socket. */
class IpcClient implements Carrier {
  readonly #socket: Socket;
  readonly #out: Outflow;
  readonly #conversation: Conversation;
  readonly #texts: TextStream;
  readonly #onEnd: () => void;
  #halfClosed = false;

  constructor(
    server: RpcServer,
    access: Access,
    socket: Socket,
    { incoming, onSent, onEnd }: IpcClientParts,
  ) {
    this.#socket = socket;
    this.#onEnd = onEnd;
    this.#conversation = new Conversation(server, access, this);
    const { guard } = this.#conversation;
    this.#out = new Outflow(socket, server.budget.unsent, guard, this);
    this.#texts = new TextStream(
      { incoming, seconds: server.budget.times.body },
      (text) => this.#conversation.receive(text),
      (reason) => this.#refuse(reason),
    );
    socket.on("data", (chunk: Buffer) =>
      guard(() => {
        onSent();
        this.#texts.take(chunk);
        this.#conversation.yield();
      }),
    );
    socket.on("drain", () => guard(() => this.#conversation.proceed()));
    socket.on("end", () =>
      guard(() => {
        this.#halfClosed = true;
        this.answered();
      }),
    );
    socket.on("error", () => socket.destroy());
    socket.once("close", () =>
      guard(() => {
        this.#onEnd();
        this.#texts.close();
        this.#conversation.end();
      }),
    );
  }

  /** Whether it waits for nothing and has sent no partial text. */
  get isIdle(): boolean {
    return this.#conversation.isIdle && !this.#texts.isPartial;
  }

  /** Whether it has sent a partial text, and waits for nothing. */
  get isSending(): boolean {
    return this.#conversation.isIdle && this.#texts.isPartial;
  }

  get isFull(): boolean {
    return this.#out.held > FULL;
  }

  send(text: Text): void {
    this.#out.write(typeof text === "string" ? `${text}\n` : text.within("", "\n"));
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  cutOff(): void {
    this.#out.cutOff();
  }

  answered(): void {
    if (this.#halfClosed && !this.#conversation.isBusy) this.#out.end();
  }

  /** Called periodically: ends a client that does not read or does not hang up, and rejects a stalled text. */
  checkTimeouts(): void {
    this.#conversation.guard(() => {
      if (this.#out.isStalled) this.cutOff();
      else if (this.#texts.isBroken && this.#out.unsent === 0) this.end();
      else if (!this.#socket.isPaused()) this.#texts.checkTimeouts();
    });
  }

  /** Ends the connection at once. */
  end(): void {
    this.#onEnd();
    this.#socket.destroy();
  }

  #refuse(reason: string): void {
    this.send(errorText(undefined, { code: ErrorCode.parse, message: reason }));
    this.#out.end();
  }
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
  readonly #partial: BodyBuffer;
  #scanner = new Scanner();
  #broken = false;
  /** Checks since the last chunk. */
  #checks = 0;
  /** Checks after which a stalled text is rejected. */
  readonly #maxChecks: number;

  /** @param limits - budget for partial texts of all clients, and seconds for which a text may stall, rounded up to whole checks */
  constructor(
    { incoming, seconds }: { readonly incoming: Allowance; readonly seconds: number },
    onText: (text: Buffer) => void,
    onError: (reason: string) => void,
  ) {
    this.#partial = new BodyBuffer(MAX_TEXT, incoming);
    this.#maxChecks = Math.ceil(seconds / CHECK_SECONDS);
    this.#onText = onText;
    this.#onError = onError;
  }

  /** Whether a partial text has been read. */
  get isPartial(): boolean {
    return this.#partial.length > 0;
  }

  /** Whether reading has stopped after invalid JSON or too much of it. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /** Rejects a text that has stalled for several checks. */
  checkTimeouts(): void {
    if (this.isPartial && ++this.#checks > this.#maxChecks) this.#fail("request timed out");
  }

  take(chunk: Buffer): void {
    this.#checks = 0;
    for (let at = 0; at < chunk.length && !this.#broken; ) {
      if (this.#partial.length === 0) at = afterLineFeeds(chunk, at);
      const scan = this.#scanner.scan(chunk, at);
      const end = scan.status === "complete" ? scan.end : chunk.length;
      if (scan.status === "invalid") this.#fail(scan.reason);
      else if (this.#partial.length + end - at > MAX_TEXT) this.#fail("request too large");
      else if (scan.status === "complete") this.#complete(chunk.subarray(at, end));
      else this.#append(chunk.subarray(at));
      at = end;
    }
  }

  /** @returns whether there was room for it */
  #append(piece: Buffer): boolean {
    try {
      this.#partial.append(piece);
      return true;
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      this.#fail(error.message);
      return false;
    }
  }

  /** Discards a partial text. */
  close(): void {
    this.#partial.release();
  }

  /** @param last - last piece of the text; most have only one */
  #complete(last: Buffer): void {
    this.#scanner = new Scanner();
    if (this.#partial.length === 0) this.#onText(last);
    else if (this.#append(last)) this.#onText(this.#partial.hand());
  }

  #fail(reason: string): void {
    this.#broken = true;
    this.#partial.release();
    this.#onError(reason);
  }
}
