import { createConnection } from "node:net";
import { WebSocket } from "ws";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** A node cannot be reached, or its answer is an error. */
export class ConsoleError extends NodeError<"CONSOLE_CONNECT" | "CONSOLE_CALL"> {
  override name = "ConsoleError";
}

/** A way to call a node. */
export interface Connection {
  readonly endpoint: string;
  /** @throws ConsoleError with `details.code` and `details.data` of the JSON-RPC error */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Connects to an IPC path, or an http(s) or ws(s) URL. @throws ConsoleError */
export function connect(endpoint: string): Promise<Connection> {
  if (/^https?:/.test(endpoint)) return Promise.resolve(overHttp(endpoint));
  return /^wss?:/.test(endpoint) ? overWebSocket(endpoint) : overIpc(endpoint);
}

function overHttp(endpoint: string): Connection {
  let id = 0;
  return {
    endpoint,
    async call(method, params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
      const request = { method: "POST", headers: { "content-type": "application/json" }, body };
      const response = await fetch(endpoint, request).catch((cause: unknown) => {
        throw unreachable(endpoint, cause);
      });
      if (!response.ok)
        throw unreachable(endpoint, new Error(`HTTP ${response.status}: ${(await response.text()).trim()}`));
      return resultOf((await response.json()) as Answer);
    },
    close() {},
  };
}

/** Matches answers to calls over a stream of messages. */
class Calls {
  readonly #waiting = new Map<number, Waiting>();
  readonly #send: (text: string) => void;
  #id = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  answer(text: string): void {
    const message = JSON.parse(text) as Answer;
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id as number);
    try {
      waiting.resolve(resultOf(message));
    } catch (error) {
      waiting.reject(error as Error);
    }
  }

  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function overWebSocket(endpoint: string): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(endpoint);
    const calls = new Calls((text) => socket.send(text));
    socket.on("open", () =>
      resolve({ endpoint, call: (m, p) => calls.call(m, p), close: () => socket.close() }),
    );
    socket.on("message", (data) => calls.answer(String(data)));
    socket.on("close", () => calls.fail(unreachable(endpoint, new Error("the connection was closed"))));
    socket.on("error", (cause) => reject(unreachable(endpoint, cause)));
  });
}

function overIpc(endpoint: string): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(endpoint);
    const calls = new Calls((text) => void socket.write(`${text}\n`));
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("connect", () =>
      resolve({ endpoint, call: (m, p) => calls.call(m, p), close: () => void socket.end() }),
    );
    socket.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) if (line !== "") calls.answer(line);
    });
    socket.on("close", () => calls.fail(unreachable(endpoint, new Error("the connection was closed"))));
    socket.on("error", (cause) => reject(unreachable(endpoint, cause)));
  });
}

function unreachable(endpoint: string, cause: unknown): ConsoleError {
  const reason =
    cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause);
  return new ConsoleError("CONSOLE_CONNECT", `cannot reach ${endpoint}: ${reason}`, { endpoint });
}

function resultOf({ result, error }: Answer): unknown {
  if (error === undefined) return result;
  throw new ConsoleError("CONSOLE_CALL", error.message, { code: error.code, data: error.data });
}
