import { createServer, type Server, Socket } from "node:net";
import { shortenSlices } from "../runtime/turns/time-slice.ts";
import type { ClientSocket } from "../sockets/client-socket.ts";
import type { SocketTaker } from "../sockets/io-processes.ts";
import { shareReads } from "../sockets/shared-reads.ts";
import type { ConnectionBudget } from "./budget.ts";
import type { Certificate } from "./certificate.ts";
import { AwaitedHello } from "./connection/awaited-hello.ts";
import { type ConnectionParts, HttpConnection, Limit } from "./connection/connection.ts";
import { JointFlush } from "./connection/joint-flush.ts";
import { RecordGate } from "./connection/record-gate.ts";
import { responseHead } from "./connection/response.ts";
import { createGuard } from "./guard.ts";
import { type HttpService, TEXT_HEADERS } from "./service.ts";

/** TLS handshakes at a time that need a second ClientHello, which is not read here first: hardly any client does. */
const MAX_RETRIES = 8;
/** Connections of one listener. */
export const MAX_CONNECTIONS = 1000;

/** Where to listen, and what is shared with other listeners. */
export interface ListenOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly budget: ConnectionBudget;
  /** Aborts when the node stops: responses being built are interrupted. */
  readonly stop?: AbortSignal | undefined;
  /** Called with internal failures. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  readonly maxConnections?: number | undefined;
  /** Enables TLS; absent = plain connections. */
  readonly certificate?: Certificate | undefined;
  /** Passes sockets to I/O processes, except those with TLS: the main process does the encryption. */
  readonly takeSocket?: SocketTaker | undefined;
}

/** A running listener. */
export interface Listener {
  /** `127.0.0.1:8551`; for IPC the path. */
  readonly address: string;
  readonly port: number;
  /** Stops listening and closes the connections, after the responses in progress. */
  close(): Promise<void>;
}

/**
 * Serves HTTP/1.1.
 * @throws Error of `node:net` when the address is taken
 */
export async function listenHttp(service: HttpService, options: ListenOptions): Promise<Listener> {
  const connections = new Connections(service, options);
  const { pauseOnConnect } = connections;
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect }, (socket) =>
    connections.accept(socket),
  );
  const { address, port } = await listen(listener, options.host, options.port);
  const clock = setInterval(() => connections.tick(), 1000).unref();
  return {
    address,
    port,
    async close() {
      const closed = Promise.all([
        new Promise<void>((resolve) => listener.close(() => resolve())),
        connections.drained(), // the server does not know those in I/O processes
      ]);
      connections.finish();
      const late = setTimeout(() => connections.close(), 1000).unref();
      await closed;
      clearTimeout(late);
      clearInterval(clock);
      connections.forget();
    },
  };
}

/** The open connections of one listener. */
class Connections {
  /** Each with what gives back its place in the budget. */
  readonly #open = new Map<HttpConnection | AwaitedHello, () => void>();
  readonly #budget: ConnectionBudget;
  readonly #most: number;
  readonly #parts: ConnectionParts;
  readonly #stop: AbortSignal | undefined;
  readonly #certificate: Certificate | undefined;
  readonly #takeSocket: SocketTaker | undefined;
  #second = 0;
  /** Handshakes in progress that need a second ClientHello. */
  #retries = 0;
  #onDrained: (() => void) | undefined;

  constructor(
    service: HttpService,
    {
      budget,
      maxConnections = MAX_CONNECTIONS,
      onFault = () => {},
      stop,
      certificate,
      takeSocket,
    }: ListenOptions,
  ) {
    this.#certificate = certificate;
    this.#takeSocket = certificate === undefined ? takeSocket : undefined;
    this.#budget = budget;
    this.#most = maxConnections;
    this.#parts = {
      ...{ service, budget, onFault, joint: new JointFlush(), now: () => this.#second },
      takeForBody: (bytes, connection) => this.#takeForBody(bytes, connection),
    };
    this.#stop = stop;
    stop?.addEventListener("abort", this.#interrupt);
  }

  /** Whether sockets must be accepted unread, since an I/O process may take them over. */
  get pauseOnConnect(): boolean {
    return this.#takeSocket !== undefined;
  }

  /** Serves a new connection. If there are too many, an idle or slow one is closed in its favour. */
  accept(accepted: Socket): void {
    createGuard(() => accepted.destroy(), this.#parts.onFault)(() => this.#accept(accepted));
  }

  #accept(accepted: Socket): void {
    shortenSlices();
    // Linux hands out what a client sent before it reset the connection, but no longer says who it was: limits per client and fairness
    // between clients need its address.
    if (accepted.remoteAddress === undefined) {
      accepted.destroy();
      return;
    }
    if (this.#open.size >= this.#most) this.#endIdle();
    const isFull = this.#open.size >= this.#most;
    if (isFull) this.#budget.connections.noteRefused();
    if (isFull || !this.#takePlace()) {
      this.#budget.refusals?.note(BUSY_STATUS);
      // A rejected connection is not worth a TLS handshake.
      if (this.#certificate) accepted.destroy();
      else refuse(accepted);
      return;
    }
    let isTaken = true;
    const giveBack = (): void => {
      if (isTaken) this.#budget.connections.give();
      isTaken = false;
    };
    const socket = this.#takeSocket?.(accepted) ?? accepted;
    socket.once("close", giveBack);
    createGuard(() => socket.destroy(), this.#parts.onFault)(() => this.#begin(socket, giveBack));
    if (this.pauseOnConnect && socket === accepted) accepted.resume();
  }

  /** Takes a place that all listeners share, if need be of a connection of this one. */
  #takePlace(): boolean {
    const { connections } = this.#budget;
    if (connections.used >= connections.most) this.#endIdle();
    return connections.take();
  }

  /** Where the bodies being received have used up their memory, those that are the longest in coming are given up for it. */
  #takeForBody(bytes: number, asking: HttpConnection): boolean {
    const { bodies } = this.#budget;
    while (!bodies.has(bytes)) {
      const slow = this.#firstDue((each) => each !== asking && each.isSlow && each.bodyBytes > 0);
      if (slow === undefined) break;
      slow.close();
    }
    return bodies.take(bytes);
  }

  #begin(socket: ClientSocket, giveBack: () => void): void {
    if (this.#certificate !== undefined) {
      this.#awaitHello(socket as Socket, this.#certificate, giveBack);
      return;
    }
    this.#serve(socket, giveBack);
  }

  #serve(socket: ClientSocket, giveBack: () => void): void {
    const connection = new HttpConnection(socket, this.#parts);
    if (socket instanceof Socket) shareReads(socket, { take: connection.takeRead });
    this.#hold(connection, socket, giveBack);
  }

  /** The handshake after the ClientHello counts towards the time limit of the first request. */
  #awaitHello(socket: Socket, certificate: Certificate, giveBack: () => void): void {
    const { budget, onFault } = this.#parts;
    const { slice } = budget;
    const guard = createGuard(() => socket.destroy(), onFault);
    const awaited = new AwaitedHello(socket, {
      ...{ slice, guard },
      deadline: this.#second + this.#budget.times.head,
      lastTurn: () => this.#second + Limit.turn,
      begin: ({ needsRetry }, first) => {
        if (needsRetry && this.#retries >= MAX_RETRIES) {
          socket.destroy();
          return;
        }
        const secure = certificate.secure(new RecordGate(socket, { slice, guard, first }));
        if (needsRetry) this.#countRetry(secure);
        this.#open.delete(awaited);
        this.#serve(secure, giveBack);
      },
    });
    this.#hold(awaited, socket, giveBack);
  }

  #countRetry(socket: ClientSocket): void {
    this.#retries++;
    let isCounted = true;
    const over = (): void => {
      if (isCounted) this.#retries--;
      isCounted = false;
    };
    socket.once("secure", over).once("close", over);
  }

  #hold(connection: HttpConnection | AwaitedHello, socket: ClientSocket, giveBack: () => void): void {
    this.#open.set(connection, giveBack);
    socket.once("close", () => {
      this.#open.delete(connection);
      if (this.#open.size === 0) this.#onDrained?.();
    });
  }

  /** Called every second. */
  tick(): void {
    this.#second++;
    this.#forEach((connection) => {
      if (connection.deadline <= this.#second) connection.expire();
    });
  }

  /** Resolves once no connection is open. */
  async drained(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  finish(): void {
    this.#forEach((connection) => connection.finish());
  }

  close(): void {
    this.#forEach((connection) => connection.close());
  }

  /** The failure of one concerns no other. */
  #forEach(step: (connection: HttpConnection | AwaitedHello) => void): void {
    for (const connection of this.#open.keys())
      createGuard(() => connection.close(), this.#parts.onFault)(step, connection);
  }

  /** Nothing references these connections any more. */
  forget(): void {
    this.#stop?.removeEventListener("abort", this.#interrupt);
  }

  readonly #interrupt = (): void => this.#forEach((connection) => connection.interrupt());

  /** Closes the connection idle longest, or else the one whose body is the longest in coming: the next to time out anyway. */
  #endIdle(): void {
    const first = this.#firstDue(({ isIdle }) => isIdle) ?? this.#firstDue(({ isSlow }) => isSlow);
    if (first === undefined) return;
    const giveBack = this.#open.get(first);
    this.#open.delete(first);
    first.close();
    giveBack?.();
  }

  #firstDue(isMeant: (connection: HttpConnection | AwaitedHello) => boolean) {
    let first: HttpConnection | AwaitedHello | undefined;
    for (const connection of this.#open.keys())
      if (isMeant(connection) && connection.deadline < (first?.deadline ?? Number.POSITIVE_INFINITY))
        first = connection;
    return first;
  }
}

const BUSY = "too many connections\n";
const BUSY_STATUS = 503;

/** Rejects a connection. */
function refuse(socket: Socket): void {
  const head = responseHead({
    status: BUSY_STATUS,
    headers: `${TEXT_HEADERS}Retry-After: 1\r\n`,
    connection: "Connection: close\r\n",
    length: BUSY.length,
  });
  socket.on("error", () => socket.destroy());
  socket.resume(); // a socket closed with unread input would be reset, and the client might not see the response
  socket.end(head + BUSY, () => socket.destroy());
}

/**
 * Starts a listener. `localhost` is 127.0.0.1, as for Go's `net.Listen`, without a DNS lookup.
 * @returns where it listens
 */
async function listen(
  listener: Server,
  host: string,
  port: number,
): Promise<{ address: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen({ host: host === "localhost" ? "127.0.0.1" : host, port }, () => {
      listener.off("error", reject);
      resolve();
    });
  });
  listener.on("error", () => {}); // a failed accept, for lack of a descriptor: the next one may succeed
  const bound = listener.address();
  if (bound === null || typeof bound === "string") throw new Error("no TCP address");
  const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return { address: `${name}:${bound.port}`, port: bound.port };
}
