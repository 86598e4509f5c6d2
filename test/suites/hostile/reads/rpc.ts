import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { Socket } from "node:net";
import { type AttackedNode, BLOCK_NUMBER, openSocket, post } from "../transports/attacked-node.ts";

/** A result or an error. */
export interface Answered {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends a request over HTTP. */
export async function answer(
  port: number,
  method: string,
  params: readonly unknown[] = [],
): Promise<Answered> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as Answered;
}

/** Sends a request and discards the response, which costs this process little. @returns its first bytes */
export function begin(port: number, method: string, params: readonly unknown[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request({ port, host: "127.0.0.1", method: "POST", headers }, (response) => {
      let start = "";
      response.on("data", (chunk: Buffer) => {
        if (start.length < 100) start += chunk.toString("latin1", 0, 100);
      });
      response.on("end", () => resolve(start));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  });
}

/** Like `answer`. @throws Error for an error response */
export async function ask(port: number, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { result, error } = await answer(port, method, params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Milliseconds at the median and at the 99th percentile. */
export interface Times {
  readonly median: number;
  readonly p99: number;
}

/** CPU time, as long as a slice of the node's work. */
const SPIN_MS = 5;
/** Requests per spin: spinning after each would itself keep the CPUs busy. */
const REQUESTS_PER_SPIN = 20;
/** Between two requests. */
const REST_MS = 5;

/** What `timesWhile` measures. */
export interface TimesBeside {
  /** Of `eth_blockNumber` by the clock. */
  readonly asked: Times;
  /** CPU time of the node's main thread from question to answer, which other programs do not lengthen. */
  readonly held: Times;
  /** What `SPIN_MS` of CPU time take: long on a machine that is busy otherwise, whatever the node does. */
  readonly spun: Times;
}

/** CPU time of a process's main thread, in milliseconds. */
export function spentMs({ child }: Pick<AttackedNode, "child">): number {
  return (
    Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, "latin1").split(" ", 1)[0]) / 1e6
  );
}

/** Times of `eth_blockNumber` while something runs. */
export async function timesWhile(
  node: Pick<AttackedNode, "child" | "port">,
  running: Promise<unknown>,
): Promise<TimesBeside> {
  const asked: number[] = [];
  const held: number[] = [];
  const spun: number[] = [];
  let isOver = false;
  running.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  const socket = await opened(node.port);
  while (!isOver || asked.length < 20) {
    const before = spentMs(node);
    asked.push(await askedOn(socket));
    held.push(spentMs(node) - before);
    if (asked.length % REQUESTS_PER_SPIN === 0) spun.push(spin());
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  socket.destroy();
  await running;
  return { asked: timesOf(asked), held: timesOf(held), spun: timesOf(spun) };
}

async function opened(port: number): Promise<Socket> {
  const socket = openSocket(port).setNoDelay(true);
  await once(socket, "connect");
  return socket;
}

/** Sends head and body in one chunk, as most clients do. @returns milliseconds */
async function askedOn(socket: Socket): Promise<number> {
  const began = performance.now();
  socket.write(post(BLOCK_NUMBER));
  await once(socket, "data");
  return performance.now() - began;
}

/** @returns wall-clock time in milliseconds */
function spin(): number {
  const began = performance.now();
  const start = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(start);
    if (user + system >= SPIN_MS * 1000) return performance.now() - began;
  }
}

function timesOf(times: number[]): Times {
  return { median: partOf(times, 0.5), p99: partOf(times, 0.99) };
}

/** The time that a part of all do not exceed, rounded to tenths. @param part - 0.5 for the median */
export function partOf(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return (
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number) * 10) / 10
  );
}
