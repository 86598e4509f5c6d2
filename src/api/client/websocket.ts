import type { Json } from "../../protocol/codec/json/schema.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { DEFAULT_TIMEOUT_MS, type ParseAnswer, type RpcResponse, resultOf } from "./batched.ts";
import type { SendRequest } from "./client.ts";

/** Longest delay of a timer: larger ones would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The part of the browser's `WebSocket` that is used; `ws` has it too. */
export interface WebSocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(event: "open" | "close", listener: () => void): void;
  addEventListener(event: "error", listener: (event: { readonly message?: string }) => void): void;
  addEventListener(event: "message", listener: (message: { readonly data: unknown }) => void): void;
}

/** The connection to a node failed, or ended before a response arrived; or the response did not come in time. */
export class ConnectionError extends NodeError<"NO_CONNECTION" | "CLOSED" | "NO_ANSWER"> {
  override name = "ConnectionError";
}

/** Limits of a connection. */
export interface ConnectionLimits {
  /** Maximum milliseconds until a call is answered; by default ten minutes. */
  readonly timeoutMs?: number;
  /** Parses messages; by default `JSON.parse`. An error of it closes the connection. */
  readonly parse?: ParseAnswer;
  /** Maximum messages and characters in a row that answer no call and belong to no subscription; by default no limit. */
  readonly maxUnasked?: { readonly messages: number; readonly length: number };
}

/** A connection that supports subscriptions. */
export interface Connection {
  readonly request: SendRequest;
  /**
   * Subscribes to events, such as `subscribe("kaia", ["newHeads"], show)`.
   * @returns the function that ends the subscription
   */
  subscribe(
    namespace: string,
    params: readonly Json[],
    onEvent: (event: Json) => void,
  ): Promise<() => Promise<void>>;
  close(): void;
}

interface Incoming extends RpcResponse {
  readonly params?: { readonly subscription: string; readonly result: Json };
}

/** @throws Error when the text is no message of JSON-RPC */
function messageOf(text: string, parse: ParseAnswer): Incoming {
  const value = parse(text);
  if (typeof value !== "object" || value === null) throw new Error("a message is not JSON-RPC");
  return value;
}

interface RunningCall {
  resolve(result: Json): void;
  reject(error: unknown): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * JSON-RPC over an open or opening WebSocket. When it closes, pending calls are rejected. Text that is not JSON-RPC closes
 * it.
 * @param socket `new WebSocket("ws://127.0.0.1:8552")`
 *
 * @example
 * const connection = await connect(new WebSocket("ws://127.0.0.1:8552"));
 * const node = createClient(api, connection.request);
 * const end = await connection.subscribe("kaia", ["newHeads"], (head) => console.log(head));
 * await end();
 * connection.close();
 */
export async function connect(socket: WebSocketLike, options: ConnectionLimits = {}): Promise<Connection> {
  const connection = new OpenConnection(socket, options);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", resolve);
    const fail = (reason: string): void => reject(new ConnectionError("NO_CONNECTION", reason));
    socket.addEventListener("error", ({ message }) => fail(message ?? "no connection"));
    socket.addEventListener("close", () => fail("no connection"));
  });
  return {
    request: connection.request,
    subscribe: (...what) => connection.subscribe(...what),
    close: () => socket.close(),
  };
}

class OpenConnection {
  readonly #socket: WebSocketLike;
  readonly #timeoutMs: number;
  readonly #parse: ParseAnswer;
  readonly #maxUnasked: ConnectionLimits["maxUnasked"];
  readonly #running = new Map<number, RunningCall>();
  readonly #listeners = new Map<string, (event: Json) => void>();
  #lastId = 0;
  #unasked = 0;
  #unaskedLength = 0;
  /** Why the connection ended, or is about to. */
  #reason: string | undefined;
  #isClosed = false;

  constructor(
    socket: WebSocketLike,
    { timeoutMs = DEFAULT_TIMEOUT_MS, parse = JSON.parse, maxUnasked }: ConnectionLimits,
  ) {
    this.#socket = socket;
    this.#timeoutMs = Math.min(timeoutMs, MAX_DELAY_MS);
    this.#parse = parse;
    this.#maxUnasked = maxUnasked;
    socket.addEventListener("message", ({ data }) => this.#take(String(data)));
    socket.addEventListener("error", ({ message }) => {
      this.#reason ??= message;
    });
    socket.addEventListener("close", () => this.#end());
  }

  readonly request: SendRequest = (method, params) =>
    new Promise((resolve, reject) => {
      if (this.#isClosed) throw this.#closedError();
      const id = ++this.#lastId;
      const timer = setTimeout(() => {
        this.#running.delete(id);
        reject(new ConnectionError("NO_ANSWER", `no complete response within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      this.#running.set(id, { resolve, reject, timer });
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });

  async subscribe(
    namespace: string,
    params: readonly Json[],
    onEvent: (event: Json) => void,
  ): Promise<() => Promise<void>> {
    const id = String(await this.request(`${namespace}_subscribe`, params));
    this.#listeners.set(id, onEvent);
    return async () => {
      this.#listeners.delete(id);
      await this.request(`${namespace}_unsubscribe`, [id]);
    };
  }

  #take(text: string): void {
    if (this.#isClosed) return;
    let incoming: Incoming;
    try {
      incoming = messageOf(text, this.#parse);
    } catch (error) {
      this.#abandon((error as Error).message);
      return;
    }
    if (!this.#receive(incoming)) this.#noteUnasked(text.length);
  }

  /** Closes the connection, and hears nothing that still comes. */
  #abandon(reason: string): void {
    this.#reason = reason;
    this.#end();
    this.#socket.close();
  }

  /** @returns whether somebody waits for it */
  #receive({ id, params, ...answer }: Incoming): boolean {
    if (typeof params === "object" && params !== null) {
      const listener = this.#listeners.get(params.subscription);
      listener?.(params.result);
      return listener !== undefined;
    }
    const call = this.#running.get(id as number);
    if (call === undefined) return false;
    this.#running.delete(id as number);
    clearTimeout(call.timer);
    this.#unasked = 0;
    this.#unaskedLength = 0;
    try {
      call.resolve(resultOf(answer));
    } catch (error) {
      call.reject(error);
    }
    return true;
  }

  #noteUnasked(length: number): void {
    this.#unaskedLength += length;
    this.#unasked++;
    const most = this.#maxUnasked;
    if (most !== undefined && (this.#unasked > most.messages || this.#unaskedLength > most.length))
      this.#abandon("the node sends messages that nobody asked for");
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject, timer } of this.#running.values()) {
      clearTimeout(timer);
      reject(this.#closedError());
    }
    this.#running.clear();
  }

  #closedError(): ConnectionError {
    const reason = this.#reason ?? "the node stopped, or closed it";
    return new ConnectionError("CLOSED", `the connection is closed: ${reason}`);
  }
}
