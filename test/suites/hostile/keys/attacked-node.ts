import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { WebSocket } from "ws";

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

/** Memory of a process in MiB: current and peak. Linux only. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024;
  return { now: mib("VmRSS"), peak: mib("VmHWM") };
}
