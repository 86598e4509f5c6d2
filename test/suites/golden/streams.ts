import { connect } from "node:net";
import { WebSocket } from "ws";
import { differences } from "./compare.ts";
import { type Json, type Reception, repeated, type StreamCase, type StreamStep } from "./format.ts";
import type { RunningNode } from "./node-process.ts";
import { Variables } from "./variables.ts";

/** Maximum wait for an expected message, even on a loaded machine. */
const TIMEOUT_MS = 20_000;

/** A bidirectional connection. */
interface Stream {
  send(text: string | Buffer): void;
  close(): void;
  readonly inbox: Inbox;
}

/** Received messages, and the end of the connection. */
class Inbox {
  readonly messages: string[] = [];
  closed: { readonly code?: number } | undefined;
  #wake: () => void = () => {};

  push(message: string): void {
    this.messages.push(message);
    this.#wake();
  }

  end(code?: number): void {
    this.closed ??= code === undefined ? {} : { code };
    this.#wake();
  }

  /** The next message; undefined on timeout or once the connection has ended. */
  async next(idleMs: number): Promise<string | undefined> {
    if (this.messages.length === 0 && this.closed === undefined)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, idleMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    return this.messages.shift();
  }
}

/** Plays a recorded conversation. @returns the differences */
export async function converse(test: StreamCase, node: RunningNode): Promise<string[]> {
  const stream = await (test.transport === "ws" ? openWebSocket(node.wsPort) : openIpc(node.ipcPath));
  const variables = new Variables();
  const found: string[] = [];
  try {
    for (const step of test.steps) {
      await sendStep(stream, step, variables);
      if (step.recv !== undefined) found.push(...(await receive(stream, step.recv, variables)));
    }
  } finally {
    stream.close();
  }
  return found;
}

async function sendStep(stream: Stream, step: StreamStep, variables: Variables): Promise<void> {
  if (step.send !== undefined) stream.send(step.send);
  if (step.sendSubst !== undefined) stream.send(variables.fillText(step.sendSubst));
  if (step.sendBinary !== undefined) stream.send(Buffer.from(step.sendBinary));
  if (step.sendRepeat !== undefined) stream.send(repeated(step.sendRepeat));
  for (const byte of step.sendBytes ?? "") stream.send(byte);
  if (step.pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, step.pauseMs));
}

async function receive(stream: Stream, expected: Reception, variables: Variables): Promise<string[]> {
  const got = await collect(stream.inbox, expected);
  if (expected.ignore === true) return [];
  const messages = arranged(got, expected);
  if (messages[0] !== undefined) variables.keep(messages[0], expected.capture);
  return [...messageDifferences(messages, expected, variables), ...endDifferences(stream.inbox, expected)];
}

async function collect(inbox: Inbox, expected: Reception): Promise<Json[]> {
  const { count, idleMs, matchId, messages = [], together } = expected;
  const due = together === true ? count : messages.length;
  const got: Json[] = [];
  while (got.length < Math.max(1, count)) {
    const text = await inbox.next(got.length < due ? Math.max(idleMs, TIMEOUT_MS) : idleMs);
    if (text === undefined) break;
    const message = JSON.parse(text) as Json;
    if (matchId === undefined || idOf(message) === matchId) got.push(message);
  }
  return got;
}

function idOf(message: Json): Json | undefined {
  return message === null || typeof message !== "object" || Array.isArray(message)
    ? undefined
    : message["id"];
}

function arranged(messages: Json[], { anyOrder, together }: Reception): Json[] {
  if (anyOrder === true) messages.sort((a, b) => Number(idOf(a)) - Number(idOf(b)));
  if (together !== true) return messages;
  const isEvent = (message: Json) => typeof message === "object" && message !== null && "method" in message;
  return [[...messages.filter(isEvent), ...messages.filter((message) => !isEvent(message))]];
}

function messageDifferences(messages: readonly Json[], expected: Reception, variables: Variables): string[] {
  const wanted = variables.fill([...(expected.messages ?? [])]) as Json[];
  if (wanted.length !== messages.length)
    return [`expected ${wanted.length} messages, got ${JSON.stringify(messages).slice(0, 300)}`];
  return wanted.flatMap((message, i) => differences(message, messages[i] as Json, expected.volatile));
}

function endDifferences({ closed }: Inbox, expected: Reception): string[] {
  const found: string[] = [];
  if ((closed !== undefined) !== (expected.closed ?? false))
    found.push(`closed: expected ${expected.closed ?? false}, got ${closed !== undefined}`);
  if (expected.closeCode !== undefined && expected.closeCode !== closed?.code)
    found.push(`close code: expected ${expected.closeCode}, got ${closed?.code}`);
  return found;
}

async function openWebSocket(port: number): Promise<Stream> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { maxPayload: 1 << 26 });
  const inbox = new Inbox();
  socket.on("message", (data) => inbox.push(data.toString()));
  socket.on("close", (code) => inbox.end(code));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {});
  return {
    inbox,
    send: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text);
    },
    close: () => socket.terminate(),
  };
}

async function openIpc(path: string): Promise<Stream> {
  const socket = connect(path);
  const inbox = new Inbox();
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) inbox.push(line);
  });
  socket.on("close", () => inbox.end());
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {});
  return { inbox, send: (text) => void socket.write(text), close: () => socket.destroy() };
}
