import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import type { RunningNode } from "../golden/node-process.ts";

/** Maximum wait for a response; beyond it the node hangs. */
const TIMEOUT_MS = 60_000;

/** Rejects on timeout. */
export function soon<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no response in ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Posts a text. @returns status and body */
export async function post(port: number, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Sends bytes on a connection of its own and reads until the node closes it or stays silent. */
export function exchangeBytes(socket: Socket, bytes: Buffer, quietMs: number): Promise<string> {
  return new Promise((resolve) => {
    const got: Buffer[] = [];
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(got).toString());
    };
    const timer = setTimeout(done, quietMs);
    socket.on("data", (chunk) => got.push(chunk));
    socket.once("close", done);
    socket.on("error", done);
    socket.write(bytes);
  });
}

/** Opens a bare connection to one of the node's listeners. */
export function open(node: RunningNode, channel: "http" | "ws" | "ipc"): Promise<Socket> {
  const socket =
    channel === "ipc"
      ? connect(node.ipcPath)
      : connect(channel === "http" ? node.httpPort : node.wsPort, "127.0.0.1");
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/**
 * Sends a text over IPC and closes the sending side: an incomplete text would otherwise wait for its rest.
 * @returns everything received until the node closes it, too
 */
export function tellIpc(path: string, text: string): Promise<string[]> {
  const got: Buffer[] = [];
  const socket = connect(path);
  const closed = new Promise<string[]>((resolve) => {
    socket.on("data", (chunk) => got.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(got).toString().split("\n").slice(0, -1)));
  });
  socket.end(text);
  return soon(closed, text.slice(0, 300));
}

/** A WebSocket client that sends texts and collects the responses to each; reconnects when disconnected. */
export class Talker {
  readonly #connect: () => Promise<Line>;
  #line: Line | undefined;

  constructor(node: RunningNode) {
    this.#connect = () => openWebSocket(node.wsPort);
  }

  /** @returns all texts until the response to a final call of ours, or until the node has closed the connection */
  async tell(text: string): Promise<string[]> {
    this.#line ??= await this.#connect();
    const line = this.#line;
    const got: string[] = [];
    await soon(
      new Promise<void>((resolve) => {
        line.onText = (answer) => {
          if (answer.includes('"id":"end of the input"')) resolve();
          else got.push(answer);
        };
        line.onClose = () => {
          this.#line = undefined;
          resolve();
        };
        line.send(text);
        line.send('{"jsonrpc":"2.0","id":"end of the input","method":"net_version"}');
      }),
      text.slice(0, 300),
    );
    return got;
  }

  /** Drops the connection with its subscriptions. */
  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }
}

interface Line {
  onText: (text: string) => void;
  onClose: () => void;
  send(text: string): void;
  close(): void;
}

async function openWebSocket(port: number): Promise<Line> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { maxPayload: 1 << 27 });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const line: Line = {
    onText: () => {},
    onClose: () => {},
    send: (text) => socket.readyState === socket.OPEN && socket.send(text),
    close: () => socket.terminate(),
  };
  socket.on("message", (data) => line.onText(data.toString()));
  socket.on("close", () => line.onClose());
  socket.on("error", () => {});
  return line;
}
