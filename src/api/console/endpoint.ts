import { WebSocket } from "ws";
import type { Request } from "../client/client.ts";
import { httpRequest } from "../client/http.ts";
import { connect, type WebSocketLike } from "../client/websocket.ts";
import { ConsoleError } from "./errors.ts";
import { ipcSocket } from "./ipc-socket.ts";

/** A node that can be called. */
export interface Endpoint {
  readonly request: Request;
  close(): void;
}

/**
 * Connects to a node.
 * @param address - path of an IPC socket, or an http(s) or ws(s) URL; `ipc:` and `rpc:` before a path are dropped
 * @throws ConsoleError CONSOLE_CONNECT
 */
export async function openEndpoint(address: string): Promise<Endpoint> {
  try {
    if (/^https?:/.test(address)) return await overHttp(address);
    const path = address.replace(/^(ipc|rpc):/, "");
    const socket = /^wss?:/.test(address)
      ? (new WebSocket(address) as never as WebSocketLike)
      : ipcSocket(path);
    return await connect(socket);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new ConsoleError("CONSOLE_CONNECT", `cannot reach ${address}: ${reason}`, { address }, { cause });
  }
}

/** HTTP has no connection: a first call tells whether a node is there. */
async function overHttp(address: string): Promise<Endpoint> {
  const request = httpRequest(address);
  await request("rpc_modules", []);
  return { request, close() {} };
}

function reasonOf(cause: unknown): string {
  const { message, cause: deeper } = cause as Error;
  return deeper instanceof Error && deeper.message !== "" ? deeper.message : message;
}
