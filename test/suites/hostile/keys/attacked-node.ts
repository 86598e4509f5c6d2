import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { WebSocket } from "ws";
import { childrenOf } from "../../../e2e/process-tree.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
type Result = any;

/** A response. */
export interface Reply {
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Calls a method over HTTP, on a new connection. */
export async function overHttp(url: string, method: string, ...params: unknown[]): Promise<Reply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: requestText(method, params),
  });
  return (await response.json()) as Reply;
}

/** Calls a method over IPC, on a new connection. @throws Error if it is cut */
export function overIpc(path: string, method: string, ...params: unknown[]): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(requestText(method, params)));
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (!text.endsWith("\n")) return;
      socket.destroy();
      resolve(JSON.parse(text) as Reply);
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`${method}: the connection was cut`)));
  });
}

/** Calls a method over HTTP, the body in chunks of seven bytes with short pauses. */
export async function inPieces(url: string, method: string, ...params: unknown[]): Promise<Reply> {
  const body = Buffer.from(requestText(method, params));
  async function* pieces() {
    for (let at = 0; at < body.length; at += 7) {
      yield body.subarray(at, at + 7);
      await new Promise(setImmediate);
    }
  }
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: pieces(),
    duplex: "half",
  } as RequestInit);
  return (await response.json()) as Reply;
}

/** Calls a method over a new WebSocket. */
export async function overWebSocket(url: string, method: string, ...params: unknown[]): Promise<Reply> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  socket.send(requestText(method, params));
  const [data] = (await once(socket, "message")) as [Buffer];
  socket.terminate();
  return JSON.parse(data.toString()) as Reply;
}

function requestText(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** A unique text. */
export function planted(): string {
  return `planted-${randomBytes(12).toString("hex")}`;
}

/**
 * Peak memory of a process and its children while something runs, in MiB; a page that several share counts in parts. Linux only.
 */
export async function peakOfTreeWhile(pid: number, running: Promise<unknown>): Promise<number> {
  let isOver = false;
  let peak = 0;
  const over = running.finally(() => {
    isOver = true;
  });
  over.catch(() => {}); // thrown below
  while (!isOver) {
    const all = [pid, ...childrenOf(pid)].map(shareOf);
    peak = Math.max(
      peak,
      all.reduce((sum, one) => sum + one, 0),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await over;
  return peak;
}

function shareOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    return 0; // ended meanwhile
  }
}
