import { createHttpClient } from "../../../platform/intake/http-client.ts";
import { parseJsonWithin } from "../../../platform/intake/nesting.ts";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import { batchedRequest, DEFAULT_TIMEOUT_MS, MAX_RESPONSE_BYTES } from "../../client/batched.ts";
import type { SendRequest } from "../../client/client.ts";
import { refusal } from "../../client/http.ts";
import { connect } from "../../client/websocket.ts";
import { ConsoleError } from "../errors.ts";
import { withTimeout } from "../with-timeout.ts";
import { ipcSocket } from "./ipc-socket.ts";
import { bearerToken } from "./token.ts";
import { webSocket } from "./web-socket.ts";

/** Maximum levels of a response: two for each call of a call trace, and the EVM nests 1,024. */
const MAX_DEPTH = 10_000;
/** Maximum values of a response. */
const MAX_VALUES = 4_000_000;
/** Messages in a row that nobody asked for: a console has no subscriptions. */
const MAX_UNASKED = { messages: 10_000, length: 2 * MAX_RESPONSE_BYTES };
/** Requests at a time over HTTP; the others wait. */
const CONNECTIONS = 8;

/** A node that can be called. */
export interface NodeEndpoint {
  readonly request: SendRequest;
  close(): void;
}

/** How a node is called. */
export interface EndpointOptions {
  readonly timers: Timers;
  /** 32 bytes shared with the node, if it requires a token over HTTP and WebSocket. */
  readonly secret?: Uint8Array | undefined;
  /**
   * Maximum milliseconds for a call. By default ten minutes over HTTP and WebSocket, and no limit over IPC, where only the
   * owner's node listens and imports take hours.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * Connects to a node. What it sends is bounded in size, number of parts and time.
 * @param address - path of an IPC socket, or an http(s) or ws(s) URL; `ipc:` and `rpc:` before a path are dropped
 * @throws ConsoleError CONSOLE_CONNECT
 */
export async function openEndpoint(address: string, options: EndpointOptions): Promise<NodeEndpoint> {
  try {
    if (/^https?:/.test(address)) return await overHttp(address, options);
    const isWebSocket = /^wss?:/.test(address);
    const socket = isWebSocket
      ? webSocket(address, MAX_RESPONSE_BYTES, authorizationFor(options))
      : ipcSocket(address.replace(/^(ipc|rpc):/, ""), MAX_RESPONSE_BYTES);
    const { timeoutMs = isWebSocket ? DEFAULT_TIMEOUT_MS : Number.POSITIVE_INFINITY } = options;
    const limits = { timeoutMs, parse: parseResponse, maxUnasked: MAX_UNASKED };
    return await withTimeout(connect(socket, limits)).catch((error: unknown) => {
      socket.close();
      throw error;
    });
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new ConsoleError("CONSOLE_CONNECT", `cannot reach ${address}: ${reason}`, { address }, { cause });
  }
}

/** HTTP has no connection: a first call checks that a node responds. */
async function overHttp(address: string, options: EndpointOptions): Promise<NodeEndpoint> {
  const client = createHttpClient({
    timers: options.timers,
    connections: CONNECTIONS,
    keepAlive: true,
  });
  const url = new URL(address);
  const request = batchedRequest(async (body) => {
    const headers = authorizationFor(options);
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const response = await client.post({ url, headers, body, timeoutMs, most: MAX_RESPONSE_BYTES });
    const { status } = response;
    const text = response.body.toString();
    if (status < 200 || status > 299) throw new Error(refusal(address, status, text));
    return text;
  }, parseResponse);
  const close = (): void => client.close();
  try {
    await withTimeout(request("rpc_modules", []));
  } catch (error) {
    close();
    throw error;
  }
  return { request, close };
}

function authorizationFor({ secret }: Pick<EndpointOptions, "secret">): Record<string, string> {
  return secret === undefined ? {} : { Authorization: bearerToken(secret) };
}

function parseResponse(text: string): unknown {
  return parseJsonWithin(text, MAX_DEPTH, MAX_VALUES);
}

function reasonOf(cause: unknown): string {
  const { message, cause: deeper } = cause as Error;
  return deeper instanceof Error && deeper.message !== "" ? deeper.message : message;
}
