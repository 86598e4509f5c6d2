import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { CUT_SHORT } from "../../../protocol/codec/json/scanner.ts";
import { ErrorCode } from "../errors.ts";
import { errorText, readEnvelope } from "../jsonrpc.ts";
import type { Access } from "../registry.ts";
import type { RpcServer } from "../server.ts";
import { createPushSession } from "../session.ts";
import { originAllowed } from "./http/admission.ts";
import type { Head } from "./http/head.ts";
import { MAX_BODY, type WebSocketUpgrade } from "./http/server.ts";

/** A client that takes its messages more slowly than this many bytes pile up is cut off. */
const MAX_BACKLOG = 32 * 1024 * 1024;
/** Milliseconds between two pings; a client that has not answered the last one is cut off. */
const PING_INTERVAL = 60_000;

/** Origins of pages that this machine serves itself. */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Who may connect. */
export interface WebSocketOptions {
  readonly access: Access;
  /** Origins of browser pages; `*` = all, none = pages of this machine. Requests without an origin always pass. */
  readonly origins: readonly string[];
}

/** Serves JSON-RPC on connections that a HTTP listener hands over. */
export class WebSocketEndpoint implements WebSocketUpgrade {
  readonly #server: RpcServer;
  readonly #options: WebSocketOptions;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY, perMessageDeflate: false });
  readonly #silent = new WeakSet<WebSocket>();
  readonly #clock: NodeJS.Timeout;

  constructor(server: RpcServer, options: WebSocketOptions) {
    this.#server = server;
    this.#options = options;
    this.#clock = setInterval(() => this.#ping(), PING_INTERVAL).unref();
  }

  take(head: Head, socket: Socket, rest: Buffer): void {
    const { origin } = head.fields;
    if (origin !== undefined && !this.#allows(origin)) {
      socket.on("error", () => socket.destroy());
      // Destroyed once the answer is out: a client that never closes would keep it open.
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", () =>
        socket.destroy(),
      );
      return;
    }
    // The library reads these three members of a request and nothing else.
    const request = {
      method: head.method,
      headers: head.fields,
      url: head.target,
    } as unknown as IncomingMessage;
    this.#sockets.handleUpgrade(request, socket, rest, (webSocket) => this.#serve(webSocket));
  }

  #allows(origin: string): boolean {
    const { origins } = this.#options;
    return origins.length === 0 ? LOOPBACK.test(origin) : originAllowed(origin, origins);
  }

  /** Ends all connections with code 1001. */
  close(): void {
    clearInterval(this.#clock);
    for (const webSocket of this.#sockets.clients) webSocket.close(1001);
    this.#sockets.close();
  }

  #serve(webSocket: WebSocket): void {
    const ended = new AbortController();
    const push = (text: string) => send(webSocket, text);
    const session = createPushSession(this.#options.access, ended.signal, push, this.#server.limits);
    const answered = (answer: string) => {
      if (answer !== "") push(answer);
      session.subscriptions.release();
    };
    webSocket.on("message", (data) => {
      const text = data.toString();
      const envelope = readEnvelope(text);
      // As in the reference: of a text that is cut short no more is said.
      if (envelope.kind === "malformed" && envelope.reason !== CUT_SHORT)
        push(errorText(undefined, { code: ErrorCode.parse, message: envelope.reason }));
      if (envelope.kind === "malformed" || envelope.kind === "empty") {
        webSocket.close();
        return;
      }
      const answer = this.#server.answerEnvelope(envelope, session);
      if (typeof answer === "string") answered(answer);
      else void answer.then(answered);
    });
    webSocket.on("pong", () => this.#silent.delete(webSocket));
    webSocket.on("error", () => webSocket.terminate());
    this.#server.countConnection(1);
    webSocket.on("close", () => {
      this.#server.countConnection(-1);
      ended.abort();
      session.subscriptions.close();
    });
  }

  #ping(): void {
    for (const webSocket of this.#sockets.clients) {
      if (this.#silent.has(webSocket)) webSocket.terminate();
      else {
        this.#silent.add(webSocket);
        webSocket.ping();
      }
    }
  }
}

function send(webSocket: WebSocket, text: string): void {
  if (webSocket.readyState !== webSocket.OPEN) return;
  if (webSocket.bufferedAmount > MAX_BACKLOG) webSocket.terminate();
  else webSocket.send(text);
}
