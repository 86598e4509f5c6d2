import { WebSocket } from "ws";
import type { Node } from "../create-node.ts";

/** Who opens a stream: its headers, and the token of its session. */
export interface StreamOptions {
  readonly origin?: string;
  readonly host?: string;
  readonly session?: string;
}

/** Begins to open a stream to a node's dashboard. */
export function openStream(node: Node, { origin, host, session }: StreamOptions): WebSocket {
  const url = new URL("/api", (node.endpoints.dashboard as string).replace("http:", "ws:"));
  const headers = { ...(origin !== undefined && { origin }), ...(host !== undefined && { host }) };
  return new WebSocket(url, ["kairn.dashboard", ...(session === undefined ? [] : [session])], { headers });
}

/** Whether a stream is accepted; an accepted one is closed again. */
export function streamOf(node: Node, options: StreamOptions): Promise<"open" | "refused"> {
  const socket = openStream(node, options);
  return new Promise((resolve) => {
    socket.on("open", () => {
      socket.terminate();
      resolve("open");
    });
    socket.on("error", () => resolve("refused"));
  });
}

/** An open stream. */
export async function socketOf(node: Node, options: StreamOptions): Promise<WebSocket> {
  const socket = openStream(node, options);
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  return socket;
}

/** Sends calls over a stream. @returns their responses, in the order of the calls */
export function answersTo(
  socket: WebSocket,
  ...calls: readonly [string, readonly unknown[]][]
): Promise<Record<string, unknown>[]> {
  const answers: Record<string, unknown>[] = [];
  return new Promise((resolve) => {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.id !== undefined) answers[message.id] = message;
      if (calls.every((_, id) => answers[id] !== undefined)) resolve(answers);
    });
    for (const [id, [method, params]] of calls.entries())
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  });
}
