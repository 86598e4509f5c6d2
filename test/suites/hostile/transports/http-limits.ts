import type { Socket } from "node:net";
import { until } from "../../../e2e/json-rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import {
  type AttackedNode,
  askMs,
  BLOCK_NUMBER,
  exchange,
  LONG_ANSWER,
  memoryKept,
  memoryOf,
  onNode,
  openSocket,
  pause,
  post,
  slowestWhile,
  statusOf,
} from "./attacked-node.ts";

const MIB = 1024 * 1024;
const MAX_BODY = 5 * MIB;
/** Bodies received at the same time, all but their last byte, each of which may cost twice its length. */
const BODIES = 20;

/** Lines of a head and the status that each gets: the last is harmless to a GET without a body. */
const HEADS: readonly (readonly [line: string, status: number])[] = [
  [`X: ${" ".repeat(6000)}\r`, 400],
  [`X: ${"\r ".repeat(3000)}`, 400],
  [`X: ${" \t".repeat(3500)}\x01`, 400],
  [`Content-Type: application/json${" ".repeat(6000)}\x01`, 400],
  [`Content-Type: application/json;${" a=b;".repeat(1200)}(`, 200],
];

/** How much longer a hostile head may take than a call of an idle node, in milliseconds. */
const PROMPT_MS = 50;

async function answeredMs(port: number, [line, expected]: (typeof HEADS)[number]): Promise<number> {
  const began = performance.now();
  const head = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${line}\r\n\r\n`;
  const status = await statusOf(port, head);
  hold(status === expected, `${JSON.stringify(line.slice(0, 40))} got ${status} instead of ${expected}`);
  return performance.now() - began;
}

/** Each is sent three times and the fastest counts, to compensate for a busy machine. */
async function slowestOf<T>(items: readonly T[], timed: (item: T) => Promise<number>): Promise<number> {
  let slowest = 0;
  for (const item of items) {
    const times = [await timed(item), await timed(item), await timed(item)];
    slowest = Math.max(slowest, Math.min(...times));
  }
  return slowest;
}

async function checkBodies(port: number): Promise<string> {
  const padded = (size: number) => BLOCK_NUMBER + " ".repeat(size - BLOCK_NUMBER.length);
  const chunked = (size: number) =>
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: " +
    `chunked\r\n\r\n${size.toString(16)}\r\n${padded(size)}\r\n0\r\n\r\n`;
  for (const [size, status] of [
    [MAX_BODY - 1, 200],
    [MAX_BODY, 200],
    [MAX_BODY + 1, 413],
  ] as const) {
    for (const text of [post(padded(size), "Connection: close\r\n"), chunked(size)]) {
      const got = await statusOf(port, text);
      hold(got === status, `a body of ${size} bytes got ${got} instead of ${status}`);
    }
  }
  const zipped = post(BLOCK_NUMBER, "Content-Encoding: gzip\r\nConnection: close\r\n");
  hold((await exchange(port, zipped)).includes("result"), "a content encoding is not ignored");
  return "5 MiB taken, a byte more 413";
}

/** Memory for each of many bodies of the greatest length, in MiB. */
async function memoryPerBody(node: AttackedNode): Promise<number> {
  const before = memoryOf(node);
  const text = post(BLOCK_NUMBER + " ".repeat(MAX_BODY - BLOCK_NUMBER.length));
  const sockets = await openMany(node.port, BODIES, text.slice(0, -1));
  let most = 0;
  for (let i = 0; i < 15 || (most < 4 * BODIES && i < 100); i++) {
    await pause(100);
    most = Math.max(most, memoryOf(node) - before);
  }
  for (const socket of sockets) socket.destroy();
  return most / BODIES;
}

async function openMany(port: number, count: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = openSocket(port);
    socket.on("connect", () => socket.write(text));
    sockets.push(socket);
    if (i % 100 === 99) await pause(10);
  }
  return sockets;
}

export const httpLimits: readonly HostileRow[] = [
  {
    id: "T1",
    promise: "a head of blanks, CR and control characters is rejected at once",
    run: () =>
      onNode(async ({ port }) => {
        const probe = await slowestOf(HEADS, () => askMs(port));
        const slowest = await slowestOf(HEADS, (head) => answeredMs(port, head));
        const figure = `the slowest in ${Math.round(slowest)} ms, a call without them in ${Math.round(probe)} ms`;
        hold(slowest <= probe + PROMPT_MS, figure);
        await askMs(port);
        return `${HEADS.length} heads of 6 KB, ${figure}`;
      }),
  },
  {
    id: "T2",
    promise:
      "a client that sends 100 KB of pipelined calls and reads nothing costs bounded memory, and delays nobody",
    run: () =>
      onNode(async (node) => {
        const answer = await exchange(node.port, post(LONG_ANSWER, "Connection: close\r\n"));
        hold(answer.length > 1_900_000, `a response of ${answer.length} bytes is too small for this attack`);
        const call = post(LONG_ANSWER);
        const text = call.repeat(Math.ceil(102_400 / call.length));
        let reached = "";
        const attack = async (ms: number) => {
          const before = memoryOf(node);
          const sockets = await openMany(node.port, 8, text);
          for (const socket of sockets) socket.pause();
          const slowest = await slowestWhile(node.port, pause(ms));
          const more = memoryOf(node) - before;
          for (const socket of sockets) socket.destroy();
          hold(more < 300, `${more} MiB more`);
          reached = `8 clients: ${more} MiB more, others answered within ${slowest} ms`;
        };
        await attack(1000); // warms up the node
        const kept = await memoryKept(node, () => attack(4000));
        return `${reached}; ${kept}`;
      }),
  },
  {
    id: "L1",
    promise: "bodies are limited to 5 MiB, with and without a length",
    run: () =>
      onNode(async (node) => {
        const before = memoryOf(node);
        const reached = await checkBodies(node.port);
        const more = memoryOf(node) - before;
        hold(more < 100, `${more} MiB more`);
        const each = await memoryPerBody(node);
        const perBody = `${each.toFixed(1)} MiB for each of ${BODIES} at once`;
        hold(each > 4 && each < (2 * MAX_BODY) / MIB, perBody);
        return `${reached}, ${more} MiB more; ${perBody}`;
      }),
  },
  {
    id: "L2",
    promise: "batches are limited to 1,000 items and 25 MB, and all batches together share one time slice",
    run: () =>
      onNode(async ({ port }) => {
        const batch = (count: number) => `[${Array(count).fill(BLOCK_NUMBER).join(",")}]`;
        const ask = (body: string) => exchange(port, post(body, "Connection: close\r\n"), 30_000);
        hold((await ask(batch(1000))).includes('"result"'), "1,000 items are not answered");
        hold((await ask(batch(1001))).includes("batch too large"), "1,001 items are answered");
        hold((await ask("[]")).includes("empty batch"), "an empty batch is answered");
        const long = await ask(`[${Array(40).fill(LONG_ANSWER).join(",")}]`);
        hold(long.includes("response too large"), "the answers to a batch do not end");
        const many = Promise.all(Array.from({ length: 100 }, () => ask(batch(1000))));
        const slowest = await slowestWhile(port, many);
        hold(slowest < 3000, `others waited ${slowest} ms`);
        return `100 batches at once, others answered within ${slowest} ms`;
      }),
  },
  {
    id: "L4",
    promise: "2,000 connections with half a head do not block others, and are closed",
    run: () =>
      onNode(async (node) => {
        const sockets = await openMany(node.port, 2000, "POST / HTTP/1.1\r\nHost: local");
        await pause(300);
        const times: number[] = [];
        for (let i = 0; i < 20; i++) times.push(await askMs(node.port));
        const open = () => sockets.filter(({ closed }) => !closed).length;
        await until(
          async () => open(),
          (count) => count === 0,
        ).finally(() => {
          for (const socket of sockets) socket.destroy();
        });
        const slowest = Math.round(Math.max(...times));
        hold(slowest < 1000, `${slowest} ms`);
        return `20 calls beside them, the slowest in ${slowest} ms; all closed once their time was over`;
      }),
  },
];
