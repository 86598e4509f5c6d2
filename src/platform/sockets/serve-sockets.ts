// The program of an I/O process: it reads and writes the sockets of clients for the main process, which answers. It knows no
// protocol; what a client may send, and how much may wait for it, is the main process's business.
import type { Socket } from "node:net";
import { PipeFrame, PipeFrameReader, PipeFrameWriter } from "./frames.ts";

/** Where the main process's pipe is. */
export const PIPE_FD = 4;
/** Bytes waiting for the main process at which no socket is read from. */
const MAX_WAITING = 1024 * 1024;
/** Bytes sent that are reported together. */
const REPORT_BYTES = 16 * 1024;

/** One client's socket. */
class Connection {
  readonly socket: Socket;
  /** Whether the main process wants to read no further. */
  isHeld = false;
  readonly #id: number;
  readonly #frames: PipeFrameWriter;
  #received = 0;
  #reported = 0;

  constructor(id: number, socket: Socket, frames: PipeFrameWriter) {
    this.#id = id;
    this.#frames = frames;
    this.socket = socket;
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    socket.on("end", () => frames.signal(PipeFrame.end, id));
    socket.on("finish", () => frames.signal(PipeFrame.finished, id));
    socket.on("error", () => socket.destroy());
  }

  send(bytes: Buffer): void {
    this.#received += bytes.length;
    this.socket.write(bytes, this.#report);
  }

  /** Tells the main process what has left, in not too many frames. */
  readonly #report = (): void => {
    const sent = this.#received - this.socket.writableLength;
    if (sent - this.#reported < REPORT_BYTES) return;
    this.#frames.number(PipeFrame.sent, this.#id, sent - this.#reported);
    this.#reported = sent;
  };
}

/** Serves the sockets that the main process sends, until it goes away. */
export function serveSockets(pipe: Socket): void {
  const connections = new Map<number, Connection>();
  let isFull = false;
  const sink = {
    write(bytes: Uint8Array) {
      pipe.write(bytes, () => bytes.fill(0)); // a secret may be in them
      if (isFull || pipe.writableLength < MAX_WAITING) return;
      isFull = true;
      for (const { socket } of connections.values()) socket.pause();
    },
  };
  const frames = new PipeFrameWriter(sink, setImmediate);
  pipe.on("drain", () => {
    if (!isFull) return;
    isFull = false;
    for (const { socket, isHeld } of connections.values()) if (!isHeld) socket.resume();
  });

  const take = (id: number, socket: Socket): void => {
    const connection = new Connection(id, socket, frames);
    connections.set(id, connection);
    frames.signal(PipeFrame.open, id);
    socket.on("data", (bytes: Buffer) => frames.data(id, bytes));
    socket.once("close", () => {
      connections.delete(id);
      frames.signal(PipeFrame.close, id);
    });
    if (isFull) socket.pause();
    else socket.resume();
  };

  const reader = new PipeFrameReader((kind, id, payload) => {
    const connection = connections.get(id);
    if (connection === undefined) return;
    const { socket } = connection;
    if (kind === PipeFrame.data) connection.send(payload);
    else if (kind === PipeFrame.end) socket.end();
    else if (kind === PipeFrame.close) socket.destroy();
    else if (kind === PipeFrame.pause || kind === PipeFrame.resume) {
      connection.isHeld = kind === PipeFrame.pause;
      if (connection.isHeld || isFull) socket.pause();
      else socket.resume();
    }
  });
  pipe.on("data", (chunk: Buffer) => reader.feed(chunk));

  process.on("message", (id: number, socket: Socket | undefined) => {
    // A client that has gone meanwhile arrives as nothing.
    if (socket === undefined) frames.signal(PipeFrame.close, id);
    else take(id, socket);
  });
}
