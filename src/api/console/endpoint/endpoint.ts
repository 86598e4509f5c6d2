import { WebSocket } from "ws";
import type { SendRequest } from "../../client/client.ts";
import { httpRequest } from "../../client/http.ts";
import { connect, type WebSocketLike } from "../../client/websocket.ts";
import { ConsoleError } from "../errors.ts";
import { withTimeout } from "../with-timeout.ts";
import { ipcSocket } from "./ipc-socket.ts";
import { bearerToken } from "./token.ts";

/** Maximum length of a response: a quarter of the longest string. */
const MAX_LENGTH = 128 * 2 ** 20;

/** A node that can be called. */
export interface NodeEndpoint {
  readonly request: SendRequest;
  close(): void;
}

/**
 * Connects to a node.
 * @param address - path of an IPC socket, or an http(s) or ws(s) URL; `ipc:` and `rpc:` before a path are dropped
 * @param secret - 32 bytes shared with the node, if it requires a token over HTTP and WebSocket
 * @throws ConsoleError CONSOLE_CONNECT
 */
export async function openEndpoint(address: string, secret?: Uint8Array): Promise<NodeEndpoint> {
  try {
    if (/^https?:/.test(address)) return await overHttp(address, secret);
    const headers = secret === undefined ? {} : { Authorization: bearerToken(secret) };
    const path = address.replace(/^(ipc|rpc):/, "");
    const socket = /^wss?:/.test(address)
      ? (new WebSocket(address, { maxPayload: MAX_LENGTH, headers }) as never as WebSocketLike)
      : ipcSocket(path, MAX_LENGTH);
    return await withTimeout(connect(socket)).catch((error: unknown) => {
      socket.close();
      throw error;
    });
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new ConsoleError("CONSOLE_CONNECT", `cannot reach ${address}: ${reason}`, { address }, { cause });
  }
}

/** HTTP has no connection: a first call checks that a node responds. */
async function overHttp(address: string, secret: Uint8Array | undefined): Promise<NodeEndpoint> {
  const request = httpRequest(address, MAX_LENGTH, secret && (() => bearerToken(secret)));
  await withTimeout(request("rpc_modules", []));
  return { request, close() {} };
}

function reasonOf(cause: unknown): string {
  const { message, cause: deeper } = cause as Error;
  return deeper instanceof Error && deeper.message !== "" ? deeper.message : message;
}
