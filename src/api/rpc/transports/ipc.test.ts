import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createRpc } from "../create-rpc.ts";
import { Registry } from "../engine/registry.ts";
import { web3Handlers } from "../handlers/node/web3.ts";
import { createBudget } from "../services/budget.ts";
import { web3 } from "../spec/node/web3.ts";
import { ticks } from "../testing/declarations.ts";

const VERSION = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';
const TICKS = '{"id":1,"method":"eth_subscribe","params":["ticks"]}';
const MIB = 1024 * 1024;

/** A listening socket; returns how to connect to it. */
async function serve(
  allowHalfOpen = false,
  times?: { readonly body: number },
): Promise<() => Promise<Socket>> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-ipc-"));
  const registry = new Registry()
    .mount("web3", web3, web3Handlers("test"))
    .addSubscriptions("eth", ticks, { ticks: () => () => {} });
  const budget = createBudget({ ...(times && { times }) });
  const served = createRpc(registry, new AbortController().signal, () => {}, { budget });
  const listener = await served.listenIpc(join(folder, "node.ipc"));
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await listener.close();
    rmSync(folder, { recursive: true });
  });
  return async () => {
    const socket = connect({ path: join(folder, "node.ipc"), allowHalfOpen });
    socket.on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  };
}

async function answerTo(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = (await once(socket, "data")) as [Buffer];
  return answer.toString();
}

it("closes the client that has been idle for longest when there are too many, and none that waits for events", async () => {
  const open = await serve();
  const subscriber = await open();
  expect(await answerTo(subscriber, TICKS)).toContain('"result":"0x');
  const idle = [];
  for (let i = 0; i < 255; i++) idle.push(await open());
  const [first, second] = idle as [Socket, Socket];
  expect(await answerTo(first, VERSION)).toContain('"result":"test"');
  const closed = once(second, "close");
  second.resume();
  const late = await open();
  await closed;
  expect(await answerTo(late, VERSION)).toContain('"result":"test"');
  for (const socket of [first, subscriber])
    expect(await answerTo(socket, VERSION)).toContain('"result":"test"');
});

it("admits the owner beside the maximum number of clients that never complete their texts", async () => {
  const open = await serve();
  const subscriber = await open();
  expect(await answerTo(subscriber, TICKS)).toContain('"result":"0x');
  const begun = [];
  for (let i = 0; i < 255; i++) {
    const socket = await open();
    socket.write(VERSION.slice(0, 20));
    begun.push(socket);
  }
  // The response comes after everything sent before was read.
  expect(await answerTo(subscriber, VERSION)).toContain('"result":"test"');
  const [first, second] = begun as [Socket, Socket];
  first.write(VERSION.slice(20, 21));
  expect(await answerTo(subscriber, VERSION)).toContain('"result":"test"');
  const closed = once(second, "close");
  second.resume();
  const owner = await open();
  await closed;
  expect(await answerTo(owner, VERSION)).toContain('"result":"test"');
  expect(await answerTo(first, VERSION.slice(21))).toContain('"result":"test"');
});

it("limits incoming texts to 256 MiB for all clients together, with a little for each", async () => {
  const open = await serve();
  const half = Buffer.alloc(33 * MIB, " ");
  half[0] = 0x5b;
  const outcomes: string[] = [];
  const holders = [];
  for (let i = 0; i < 5; i++) {
    const socket = await open();
    holders.push(socket);
    socket.on("data", (bytes: Buffer) => outcomes.push(bytes.toString()));
    const ended = once(socket, "end");
    const isWritten = new Promise((resolve) => socket.write(half, resolve));
    await Promise.race([isWritten, ended]);
  }
  await expect.poll(() => outcomes.join()).toContain("too many requests are coming in");
  const small = await open();
  expect(await answerTo(small, VERSION)).toContain('"result":"test"');
  for (const socket of holders) socket.destroy();
  await expect
    .poll(async () => answerTo(await open(), `[${" ".repeat(MIB)}${VERSION}]`))
    .toContain('"result":"test"');
});

it("ends a response with a line feed, also a long one", async () => {
  const socket = await (await serve())();
  const call = `{"id":"${"x".repeat(200)}","method":"web3_clientVersion"}`;
  socket.write(`[${Array(600).fill(call).join()}]`);
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes));
  await expect.poll(() => /^\[[^\n]{100000,}\]\n$/.test(text)).toBe(true);
});

it("refuses a text longer than 64 MiB", async () => {
  const socket = await (await serve())();
  const text = Buffer.alloc(64 * MIB + 1, " ");
  text.write("[");
  socket.write(text);
  const [answer] = await once(socket, "data");
  expect(String(answer)).toContain("request too large");
});

it("rejects a stalled text, and closes the connection if the client does not", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const open = await serve(true);
  const [begun, idle] = [await open(), await open()];
  begun.write(VERSION.slice(0, 20));
  await answerTo(idle, VERSION);
  vi.advanceTimersByTime(29_000);
  begun.write(VERSION.slice(20, 21));
  await answerTo(idle, VERSION);
  const refused = once(begun, "data");
  vi.advanceTimersByTime(41_000);
  expect(String(await refused)).toContain("request timed out");
  const hungUp = once(begun, "close");
  vi.advanceTimersByTime(10_000);
  await answerTo(idle, VERSION);
  begun.write(" ");
  await expect(hungUp).rejects.toThrow("EPIPE");
  expect(await answerTo(idle, VERSION)).toContain('"result":"test"');
});

it("rejects a stalled text after the time for a body", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const open = await serve(true, { body: 60 });
  const [begun, idle] = [await open(), await open()];
  begun.write(VERSION.slice(0, 20));
  await answerTo(idle, VERSION);
  const refused = once(begun, "data");
  vi.advanceTimersByTime(60_000);
  begun.write(VERSION.slice(20, 21));
  await answerTo(idle, VERSION);
  vi.advanceTimersByTime(70_000);
  expect(String(await refused)).toContain("request timed out");
});

/** All that comes until the server ends the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes));
  await once(socket, "end");
  return text;
}

it("answers a client that has closed its own side, however late, and then hangs up", async () => {
  const open = await serve(true);
  const socket = await open();
  socket.end(`${VERSION}\r\n${VERSION}\n`);
  expect((await readAll(socket)).match(/"result":"test"}\n/g)).toHaveLength(2);
  const silent = await open();
  silent.end();
  expect(await readAll(silent)).toBe("");
  const begun = await open();
  begun.end(VERSION.slice(0, 20));
  expect(await readAll(begun)).toBe("");
});

it("reports what is no JSON with the place, and hangs up", async () => {
  const socket = await (await serve(true))();
  socket.write(`${VERSION}[1,]${VERSION}`);
  const [answer, refusal, rest] = (await readAll(socket)).split("\n");
  expect(answer).toContain('"result":"test"');
  expect(refusal).toContain("invalid character ']' looking for beginning of value");
  expect(rest).toBe("");
});

it("reads no more from a client that does not read its responses, and goes on once it does", async () => {
  const socket = await (await serve())();
  socket.pause();
  const long = `[${Array(300)
    .fill(`{"id":"${"x".repeat(20_000)}","method":"web3_clientVersion"}`)
    .join()}]`;
  const call = `{"id":1,"method":"web3_sha3","params":["0x${"ab".repeat(50_000)}"]}`;
  let isTaken = false;
  socket.write(long + call.repeat(40), () => {
    isTaken = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isTaken).toBe(false);
  let lines = 0;
  socket.on("data", (bytes: Buffer) => {
    for (const byte of bytes) if (byte === 0x0a) lines++;
  });
  socket.resume();
  await expect.poll(() => lines).toBe(41);
});
