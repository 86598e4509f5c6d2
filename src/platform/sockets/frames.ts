// The protocol between the main process and an I/O process: frames with a header of 9 bytes, followed by the payload.
//   bytes 0–3  length of the payload, little-endian
//   byte 4     kind
//   bytes 5–8  id of the connection, little-endian

import { joinAndWipe } from "./join-and-wipe.ts";

/** Kinds of frames. Those without a direction go both ways: received bytes go to the main process, bytes to send come from it. */
export const PipeFrame = {
  /** To the main process: the I/O process now owns the socket. */
  open: 0,
  /** Bytes from the client, or for it. */
  data: 1,
  /** No more data follows in this direction. */
  end: 2,
  /** To the main process: the connection is closed. From it: close the connection at once. */
  close: 3,
  /** To the main process: the kernel has accepted this many more bytes (payload: 4 bytes, little-endian). */
  sent: 4,
  /** To the main process: the kernel has accepted everything, including the end. */
  finished: 5,
  /** From the main process: stop reading from the client. */
  pause: 6,
  /** From the main process: continue reading. */
  resume: 7,
  /** From the main process, and back: the I/O process still works. */
  alive: 8,
} as const;

export type PipeFrame = (typeof PipeFrame)[keyof typeof PipeFrame];

/** Maximum payload in bytes; longer data is split into several frames. */
export const MAX_PAYLOAD = 64 * 1024;

const HEADER = 9;
const BUFFER = 64 * 1024;
/** A buffer with fewer bytes left than this is replaced by a new one. */
const MIN_ROOM = 8 * 1024;
/** Payloads of at least this many bytes are written without being copied. */
const LARGE = 16 * 1024;

/** Where frames are written: a pipe. It owns the bytes passed to it. */
export interface FrameSink {
  write(bytes: Uint8Array): unknown;
}

/** Writes frames; those of one turn of the event loop are sent in one write. */
export class PipeFrameWriter {
  readonly #sink: FrameSink;
  readonly #later: (flush: () => void) => void;
  #buffer = Buffer.allocUnsafeSlow(BUFFER);
  #used = 0;
  #isScheduled = false;

  /** @param later - schedules a function for the end of the turn */
  constructor(sink: FrameSink, later: (flush: () => void) => void) {
    this.#sink = sink;
    this.#later = later;
  }

  /** Writes a frame without a payload. */
  signal(kind: PipeFrame, connection: number): void {
    this.#header(kind, connection, 0);
  }

  /** Writes a frame whose payload is a number below 2^32. */
  number(kind: PipeFrame, connection: number, value: number): void {
    this.#header(kind, connection, 4);
    this.#reserve(4);
    this.#used = this.#buffer.writeUInt32LE(value, this.#used);
  }

  /**
   * Writes data, split into as many frames as necessary.
   * @returns whether all of it was copied; otherwise `bytes` must stay unchanged until the pipe has sent them
   */
  data(connection: number, bytes: Uint8Array): boolean {
    let isCopied = true;
    for (let at = 0; at < bytes.length; at += MAX_PAYLOAD) {
      const payload = bytes.subarray(at, at + MAX_PAYLOAD);
      this.#header(PipeFrame.data, connection, payload.length);
      if (payload.length >= LARGE) {
        this.#send();
        this.#sink.write(payload);
        isCopied = false;
        continue;
      }
      this.#reserve(payload.length);
      this.#buffer.set(payload, this.#used);
      this.#used += payload.length;
    }
    return isCopied;
  }

  /** Writes a Latin-1 text shorter than `LARGE` directly into the buffer, without creating one for it. */
  latin1(connection: number, text: string): void {
    this.#header(PipeFrame.data, connection, text.length);
    this.#reserve(text.length);
    this.#used += this.#buffer.write(text, this.#used, "latin1");
  }

  #header(kind: PipeFrame, connection: number, length: number): void {
    this.#reserve(HEADER);
    const buffer = this.#buffer;
    let at = buffer.writeUInt32LE(length, this.#used);
    buffer[at++] = kind;
    this.#used = buffer.writeUInt32LE(connection, at);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#later(this.#flush);
  }

  /** Ensures that so many bytes fit into the buffer, at most `LARGE`. */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    this.#send();
    if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(BUFFER);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    this.#send();
  };

  #send(): void {
    if (this.#used === 0) return;
    const bytes = this.#buffer.subarray(0, this.#used);
    const room = this.#buffer.length - this.#used;
    this.#buffer = room < MIN_ROOM ? Buffer.allocUnsafeSlow(BUFFER) : this.#buffer.subarray(this.#used);
    this.#used = 0;
    this.#sink.write(bytes);
  }
}

/** Called with each frame. The payload is a view of a larger buffer; the callee owns that part of it. */
export type FrameHandler = (kind: PipeFrame, connection: number, payload: Buffer) => void;

/** Splits a stream of bytes into frames. */
export class PipeFrameReader {
  readonly #handle: FrameHandler;
  #rest: Buffer = Buffer.alloc(0);

  constructor(handle: FrameHandler) {
    this.#handle = handle;
  }

  /** @throws RangeError for a frame longer than `MAX_PAYLOAD`: the two processes disagree about the protocol */
  feed(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : joinAndWipe(this.#rest, chunk);
    let at = 0;
    while (bytes.length - at >= HEADER) {
      const length = bytes.readUInt32LE(at);
      if (length > MAX_PAYLOAD) throw new RangeError(`a frame of ${length} bytes`);
      const end = at + HEADER + length;
      if (end > bytes.length) break;
      this.#handle(bytes[at + 4] as PipeFrame, bytes.readUInt32LE(at + 5), bytes.subarray(at + HEADER, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }
}
