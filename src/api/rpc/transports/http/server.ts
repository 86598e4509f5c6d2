import { createServer, type Server, type Socket } from "node:net";
import type { RpcServer } from "../../server.ts";
import type { Session } from "../../session.ts";
import { admit, type HttpRules, hostAllowed } from "./admission.ts";
import { HttpConnection, type HttpService } from "./connection.ts";
import type { Head } from "./head.ts";

/** Largest body of a request in bytes. */
export const MAX_BODY = 512 * 1024;

/** Where to listen and for whom. */
export interface HttpOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly cors: readonly string[];
  readonly hosts: readonly string[];
}

/** Takes over connections that ask for a WebSocket. */
export interface WebSocketUpgrade {
  take(head: Head, socket: Socket, rest: Buffer): void;
}

/** A running listener. */
export interface Listener {
  /** `127.0.0.1:8551`; for IPC the path. */
  readonly address: string;
  readonly port: number;
  /** Stops listening and ends the connections, after the answers that are being made. */
  close(): Promise<void>;
}

/**
 * Listens for JSON-RPC over HTTP/1.1.
 * @throws Error of `node:net` when the address is taken
 */
export async function listenHttp(
  server: RpcServer,
  session: Session,
  options: HttpOptions,
  webSockets?: WebSocketUpgrade,
): Promise<Listener> {
  const rules: HttpRules = { cors: options.cors, hosts: options.hosts, maxBody: MAX_BODY };
  const connections = new Set<HttpConnection>();
  let second = 0;
  const service: HttpService = {
    maxBody: MAX_BODY,
    admit: (head) => admit(head, rules),
    answer: (text) => server.answer(text, session),
    upgrades: (head) =>
      webSockets !== undefined && isWebSocket(head) && hostAllowed(head.fields.host, rules.hosts),
    upgrade: (head, socket, rest) => webSockets?.take(head, socket, rest),
    now: () => second,
  };
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new HttpConnection(socket, service);
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  });
  const { address, port } = await listen(listener, options.host, options.port);
  const clock = setInterval(() => {
    second++;
    for (const connection of connections) if (connection.deadline <= second) connection.close();
  }, 1000).unref();
  return { address, port, close: () => closeListener(listener, connections, clock) };
}

function isWebSocket({ method, fields }: Head): boolean {
  return method === "GET" && fields.upgrade?.toLowerCase() === "websocket";
}

async function closeListener(
  listener: Server,
  connections: ReadonlySet<HttpConnection>,
  clock: NodeJS.Timeout,
): Promise<void> {
  const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
  for (const connection of connections) connection.finish();
  const late = setTimeout(() => {
    for (const connection of connections) connection.close();
  }, 1000).unref();
  await closed;
  clearTimeout(late);
  clearInterval(clock);
}

/**
 * Starts a listener. `localhost` is 127.0.0.1, as Go's `net.Listen` has it, without asking a resolver.
 * @returns where it listens
 */
export async function listen(
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
  const bound = listener.address();
  if (bound === null || typeof bound === "string") throw new Error("no TCP address");
  const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return { address: `${name}:${bound.port}`, port: bound.port };
}
