// The program of an I/O process: it reads and writes clients' sockets on behalf of the main process, which serves the requests. It
// knows no protocol: the main process decides what a client may send, and how much may be buffered for it.
import type { Socket } from "node:net";
import { PipeFrame, PipeFrameReader, PipeFrameWriter } from "./frames.ts";
import { shareReads } from "./shared-reads.ts";

/** File descriptor of the pipe to the main process. */
export const PIPE_FD = 4;
/** Bytes waiting for the main process from which on no socket is read. */
const MAX_WAITING = 1024 * 1024;
/** Bytes that must have been sent since the last report before the next one. */
const REPORT_BYTES = 16 * 1024;

/** One client's socket. */
class Connection {
  readonly socket: Socket;
  /** Whether the main process has stopped reading from it. */
  isPaused = false;
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
    shareReads(socket);
    socket.on("end", () => frames.signal(PipeFrame.end, id));
    socket.on("finish", () => frames.signal(PipeFrame.finished, id));
    socket.on("error", () => socket.destroy());
  }

  send(bytes: Buffer): void {
    this.#received += bytes.length;
    const { socket } = this;
    // What waits holds the memory of all that came from the pipe with it.
    const isSmallPart = bytes.length < bytes.buffer.byteLength / 2;
    socket.write(socket.writableLength > 0 && isSmallPart ? new Uint8Array(bytes) : bytes, this.#report);
  }

  /** Reports progress to the main process, in few frames. */
  readonly #report = (): void => {
    const sent = this.#received - this.socket.writableLength;
    if (sent - this.#reported < REPORT_BYTES) return;
    this.#frames.number(PipeFrame.sent, this.#id, sent - this.#reported);
    this.#reported = sent;
  };
}

/** Reads and writes the sockets that the main process passes on, for as long as it runs. */
export function serveSockets(pipe: Socket): void {
  const connections = new Map<number, Connection>();
  let isFull = false;
  const sink = {
    write(bytes: Uint8Array) {
      pipe.write(bytes, () => bytes.fill(0)); // they may contain secrets
      if (isFull || pipe.writableLength < MAX_WAITING) return;
      isFull = true;
      for (const { socket } of connections.values()) socket.pause();
    },
  };
  const frames = new PipeFrameWriter(sink, setImmediate);
  pipe.on("drain", () => {
    if (!isFull) return;
    isFull = false;
    for (const { socket, isPaused } of connections.values()) if (!isPaused) socket.resume();
  });

  const take = (id: number, socket: Socket): void => {
    const connection = new Connection(id, socket, frames);
    connections.set(id, connection);
    frames.signal(PipeFrame.open, id);
    socket.on("data", (bytes: Buffer) => {
      if (frames.data(id, bytes)) bytes.fill(0); // otherwise the sink does so
    });
    socket.once("close", () => {
      connections.delete(id);
      frames.signal(PipeFrame.close, id);
    });
    if (isFull) socket.pause();
    else socket.resume();
  };

  const reader = new PipeFrameReader((kind, id, payload) => {
    if (kind === PipeFrame.alive) {
      frames.signal(PipeFrame.alive, id);
      return;
    }
    const connection = connections.get(id);
    if (connection === undefined) return;
    const { socket } = connection;
    if (kind === PipeFrame.data) connection.send(payload);
    else if (kind === PipeFrame.end) socket.end();
    else if (kind === PipeFrame.close) socket.destroy();
    else if (kind === PipeFrame.pause || kind === PipeFrame.resume) {
      connection.isPaused = kind === PipeFrame.pause;
      if (connection.isPaused || isFull) socket.pause();
      else socket.resume();
    }
  });
  pipe.on("data", (chunk: Buffer) => reader.feed(chunk));
  pipe.on("error", () => process.exit()); // the main process has gone

  process.on("message", (id: number, socket: Socket | undefined) => {
    // A socket that was destroyed before it could be passed on arrives as undefined.
    if (socket === undefined) frames.signal(PipeFrame.close, id);
    else take(id, socket);
  });
}
