import { Duplex } from "node:stream";
import type { ClientSocket } from "./client-socket.ts";
import { PipeFrame, type PipeFrameWriter } from "./frames.ts";

/** Bytes in flight to the client that count as sent; beyond that, writing waits for the I/O process. */
const WINDOW = 64 * 1024;
/** Maximum length of a text that is encoded straight into the frame buffer. */
const SHORT_TEXT = 8 * 1024;

/**
 * A client's connection whose socket belongs to an I/O process. It behaves as that socket would: `writableLength` counts what
 * the client has yet to read, beyond the window, and while it is paused, the client is not read from.
 */
export class RemoteSocket extends Duplex implements ClientSocket {
  readonly remoteAddress: string | undefined;
  readonly #id: number;
  readonly #frames: PipeFrameWriter;
  readonly #forget: () => void;
  #opened: ((error?: Error) => void) | undefined;
  #written: ((error?: Error) => void) | undefined;
  #finished: ((error?: Error) => void) | undefined;
  /** Bytes that the I/O process has not reported as sent. */
  #pending = 0;
  #isOpen = false;
  #isPaused = false;
  #isGone = false;

  /** @param forget - called once, when the connection no longer expects frames */
  constructor(id: number, frames: PipeFrameWriter, remoteAddress: string | undefined, forget: () => void) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#id = id;
    this.#frames = frames;
    this.remoteAddress = remoteAddress;
    this.#forget = forget;
  }

  /** Does nothing: the I/O process sets it on every socket. */
  setNoDelay(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", this.destroy);
  }

  /** Handles a frame of this connection. @throws RangeError for one that makes no sense */
  receive(kind: PipeFrame, payload: Buffer): void {
    switch (kind) {
      case PipeFrame.data:
        // The same as `push` in this state, at a fifth of the cost.
        if (this.readableFlowing && this.readableLength === 0) this.emit("data", payload);
        else if (!this.push(payload)) this.#pauseInput();
        return;
      case PipeFrame.sent:
        this.#noteSent(payload.readUInt32LE());
        return;
      case PipeFrame.open:
        this.#isOpen = true;
        this.#begin();
        return;
      case PipeFrame.end:
        this.push(null);
        return;
      case PipeFrame.finished:
        this.#finish();
        return;
      case PipeFrame.close:
        this.close();
    }
  }

  /** Destroys the stream of a socket that no longer exists. */
  close(): void {
    this.#isGone = true;
    this.destroy();
  }

  /** Takes effect even before the I/O process owns the socket. */
  override destroy(error?: Error): this {
    super.destroy(error);
    this.#begin(); // a stream under construction is destroyed only after it
    return this;
  }

  /** Writes a short Latin-1 text straight into a frame if nothing is queued before it. */
  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (
      typeof chunk === "string" &&
      rest.length === 1 &&
      rest[0] === "latin1" &&
      this.#maySend(chunk.length)
    ) {
      this.#pending += chunk.length;
      this.#frames.latin1(this.#id, chunk);
      return true;
    }
    return (super.write as (...parameters: unknown[]) => boolean)(chunk, ...rest);
  }

  /** Whether so many characters may bypass the stream's queue. */
  #maySend(length: number): boolean {
    return (
      length <= SHORT_TEXT &&
      this.#pending + length <= WINDOW &&
      this.#isOpen &&
      this.writable &&
      this.writableLength === 0 &&
      this.writableCorked === 0
    );
  }

  override _construct(opened: (error?: Error) => void): void {
    if (this.#isOpen || this.destroyed) opened();
    else this.#opened = opened;
  }

  override _read(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#frames.signal(PipeFrame.resume, this.#id);
  }

  override _write(
    chunk: string | Uint8Array,
    encoding: BufferEncoding,
    written: (error?: Error) => void,
  ): void {
    if (typeof chunk === "string" && encoding === "latin1" && chunk.length <= SHORT_TEXT) {
      this.#pending += chunk.length;
      this.#frames.latin1(this.#id, chunk);
    } else {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
      this.#pending += bytes.length;
      this.#frames.data(this.#id, bytes);
    }
    if (this.#pending <= WINDOW) written();
    else this.#written = written;
  }

  override _final(finished: (error?: Error) => void): void {
    this.#frames.signal(PipeFrame.end, this.#id);
    this.#finished = finished;
  }

  override _destroy(error: Error | null, destroyed: (error?: Error | null) => void): void {
    if (this.#isOpen && !this.#isGone) this.#frames.signal(PipeFrame.close, this.#id);
    this.#forget();
    destroyed(error);
  }

  /** Completes the construction of the stream: what has been written so far is sent. */
  #begin(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.();
  }

  #pauseInput(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#frames.signal(PipeFrame.pause, this.#id);
  }

  #finish(): void {
    const finished = this.#finished;
    this.#finished = undefined;
    finished?.();
  }

  #noteSent(bytes: number): void {
    if (bytes > this.#pending) throw new RangeError(`${bytes} bytes sent of ${this.#pending}`);
    this.#pending -= bytes;
    if (this.#pending > WINDOW) return;
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }
}
