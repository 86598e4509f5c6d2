import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { Head } from "../../../platform/http/connection/head.ts";
import { JointFlush } from "../../../platform/http/connection/joint-flush.ts";
import { isOriginAllowed } from "../../../platform/http/routes/origins.ts";
import type { ClientSocket } from "../../../platform/sockets/client-socket.ts";
import type { Access } from "../engine/registry.ts";
import type { RpcServer } from "../engine/server.ts";
import type { WebSocketUpgrade } from "./http/server.ts";
import { WebSocketClient } from "./websocket-client.ts";

/** Milliseconds between checks of all clients. */
const CHECK_INTERVAL = 10_000;
/** Checks after which a client is pinged, or cut off if it has not answered the last ping. */
const CHECKS_PER_PING = 3;
/** Maximum frames of a message, and maximum pieces. */
const MAX_PARTS = 16_384;

/** Rules for connecting. */
export interface WebSocketOptions {
  readonly access: Access;
  /** Allowed browser origins; `*` = all, none = pages of this machine. Requests without an origin are always allowed. */
  readonly origins: readonly string[];
}

/** Serves JSON-RPC on connections upgraded by an HTTP listener. */
export class WebSocketEndpoint implements WebSocketUpgrade {
  readonly #server: RpcServer;
  readonly #options: WebSocketOptions;
  readonly #sockets: WebSocketServer;
  readonly #clients = new Set<WebSocketClient>();
  readonly #joint = new JointFlush();
  #checks = 0;
  readonly #clock: NodeJS.Timeout;

  constructor(server: RpcServer, options: WebSocketOptions) {
    this.#server = server;
    this.#options = options;
    const { body: maxPayload } = server.limits;
    const bounds = { maxPayload, maxFragments: MAX_PARTS, maxBufferedChunks: MAX_PARTS };
    this.#sockets = new WebSocketServer({
      noServer: true,
      ...bounds,
      perMessageDeflate: false,
      autoPong: false,
    });
    this.#clock = setInterval(() => this.#checkTimeouts(), CHECK_INTERVAL).unref();
  }

  take(head: Head, socket: ClientSocket, rest: Buffer): void {
    const { origin, authorization } = head.fields;
    const { origins: patterns } = this.#options;
    if (!isOriginAllowed(origin, { patterns, loopback: patterns.length === 0 })) {
      this.#refuse(socket, 403, "Forbidden");
      return;
    }
    if (this.#server.token?.allows(authorization) === false) {
      this.#refuse(socket, 401, "Unauthorized");
      return;
    }
    const { webSockets } = this.#server.budget;
    if (!webSockets.take()) {
      this.#refuse(socket, 503, "Service Unavailable\r\nRetry-After: 1");
      return;
    }
    socket.once("close", () => webSockets.give());
    // The library reads these three members of a request and nothing else, whatever its type says.
    const request = {
      method: head.method,
      headers: head.fields,
      url: head.target,
    } as unknown as IncomingMessage;
    this.#sockets.handleUpgrade(request, socket, rest, (webSocket) => this.#serve(webSocket, socket));
  }

  /** Ends all connections with code 1001. */
  close(): void {
    clearInterval(this.#clock);
    for (const webSocket of this.#sockets.clients) webSocket.close(1001);
    this.#sockets.close();
  }

  #serve(webSocket: WebSocket, socket: ClientSocket): void {
    const parts = { server: this.#server, access: this.#options.access, joint: this.#joint };
    const client = new WebSocketClient(webSocket, socket, parts);
    this.#clients.add(client);
    this.#server.countConnection(1);
    webSocket.on("close", () => {
      this.#server.countConnection(-1);
      this.#clients.delete(client);
    });
  }

  /** @param reason - phrase of the status, and further lines */
  #refuse(socket: ClientSocket, status: number, reason: string): void {
    this.#server.budget.refusals.note(status);
    socket.on("error", () => socket.destroy());
    const head = `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    // Destroyed once the response is sent: a client that never closes would keep it open.
    socket.end(head, () => socket.destroy());
  }

  #checkTimeouts(): void {
    const pings = ++this.#checks % CHECKS_PER_PING === 0;
    for (const client of this.#clients) client.checkTimeouts(pings);
  }
}
