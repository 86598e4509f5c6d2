import type { Json } from "../../protocol/codec/json/schema.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { SendRequest } from "./client.ts";
import { type RpcAnswer, resultOf } from "./http.ts";

/** The part of the browser's `WebSocket` that is used; `ws` has it too. */
export interface WebSocketLike {
  send(text: string): void;
  close(): void;
  addEventListener(event: "open" | "close", listener: () => void): void;
  addEventListener(event: "error", listener: (event: { readonly message?: string }) => void): void;
  addEventListener(event: "message", listener: (message: { readonly data: unknown }) => void): void;
}

/** The connection to a node failed, or ended before a response arrived. */
export class ConnectionError extends NodeError<"NO_CONNECTION" | "CLOSED"> {
  override name = "ConnectionError";
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

interface Incoming extends RpcAnswer {
  readonly params?: { readonly subscription: string; readonly result: Json };
}

/** A message of JSON-RPC; undefined for any other text. */
function messageOf(text: string): Incoming | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function closedError(): ConnectionError {
  return new ConnectionError("CLOSED", "the connection is closed: the node stopped, or closed it");
}

/**
 * JSON-RPC over an open or opening WebSocket. When it closes, pending calls are rejected.
 * @param socket `new WebSocket("ws://127.0.0.1:8552")`
 *
 * @example
 * const connection = await connect(new WebSocket("ws://127.0.0.1:8552"));
 * const node = createClient(api, connection.request);
 * const end = await connection.subscribe("kaia", ["newHeads"], (head) => console.log(head));
 * await end();
 * connection.close();
 */
export async function connect(socket: WebSocketLike): Promise<Connection> {
  const running = new Map<number, { resolve: (result: Json) => void; reject: (error: unknown) => void }>();
  const listeners = new Map<string, (event: Json) => void>();
  let lastId = 0;
  let closed = false;

  function receive(incoming: Incoming): void {
    const { id, params, ...answer } = incoming;
    if (typeof params === "object" && params !== null) {
      listeners.get(params.subscription)?.(params.result);
      return;
    }
    const call = running.get(id as number);
    running.delete(id as number);
    try {
      call?.resolve(resultOf(answer));
    } catch (error) {
      call?.reject(error);
    }
  }

  function fail(): void {
    closed = true;
    for (const { reject } of running.values()) reject(closedError());
    running.clear();
  }

  const request: SendRequest = (method, params) =>
    new Promise((resolve, reject) => {
      if (closed) throw closedError();
      const id = ++lastId;
      running.set(id, { resolve, reject });
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });

  socket.addEventListener("message", ({ data }) => {
    const incoming = messageOf(String(data));
    if (incoming !== undefined) receive(incoming);
    else socket.close(); // not a valid response
  });
  socket.addEventListener("close", fail);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", ({ message }) =>
      reject(new ConnectionError("NO_CONNECTION", message ?? "no connection")),
    );
  });
  return {
    request,
    async subscribe(namespace, params, onEvent) {
      const id = String(await request(`${namespace}_subscribe`, params));
      listeners.set(id, onEvent);
      return async () => {
        listeners.delete(id);
        await request(`${namespace}_unsubscribe`, [id]);
      };
    },
    close: () => socket.close(),
  };
}
