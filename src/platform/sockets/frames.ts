// What the main process and an I/O process tell each other: frames of 9 bytes of header and a payload.
//   bytes 0–3  length of the payload, little-endian
//   byte 4     kind
//   bytes 5–8  number of the connection, little-endian

/** Kinds of frames. Most go either way: what arrived goes to the main process, what is to be sent comes from it. */
export const PipeFrame = {
  /** To the main process: the connection has been taken over. */
  open: 0,
  /** Bytes of the client, or for it. */
  data: 1,
  /** No more data follows in this direction. */
  end: 2,
  /** The connection is closed, or is to be closed now. */
  close: 3,
  /** To the main process: the system has taken this many more bytes (payload: 4 bytes). */
  sent: 4,
  /** To the main process: the system has everything, the end included. */
  finished: 5,
  /** From the main process: read no further, and read on. */
  pause: 6,
  resume: 7,
} as const;

export type PipeFrame = (typeof PipeFrame)[keyof typeof PipeFrame];

/** Longest payload in bytes; longer data goes in several frames. */
export const MAX_PAYLOAD = 64 * 1024;

const HEADER = 9;
const BUFFER = 64 * 1024;
/** A buffer with less room than this is not used further. */
const MIN_ROOM = 8 * 1024;
/** Payloads from this many bytes on are written without being copied. */
const LARGE = 16 * 1024;

/** Where frames go: a pipe. The bytes are its own. */
export interface FrameSink {
  write(bytes: Uint8Array): unknown;
}

/** Writes frames; those of one turn leave together. */
export class PipeFrameWriter {
  readonly #sink: FrameSink;
  readonly #later: (flush: () => void) => void;
  #buffer = Buffer.allocUnsafeSlow(BUFFER);
  #used = 0;
  #isScheduled = false;

  /** @param later - runs a function at the end of the turn */
  constructor(sink: FrameSink, later: (flush: () => void) => void) {
    this.#sink = sink;
    this.#later = later;
  }

  /** Writes a frame without payload. */
  signal(kind: PipeFrame, connection: number): void {
    this.#header(kind, connection, 0);
  }

  /** Writes a frame whose payload is a number below 2³². */
  number(kind: PipeFrame, connection: number, value: number): void {
    this.#header(kind, connection, 4);
    this.#reserve(4);
    this.#used = this.#buffer.writeUInt32LE(value, this.#used);
  }

  /** Writes data, in as many frames as it takes. */
  data(connection: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += MAX_PAYLOAD) {
      const payload = bytes.subarray(at, at + MAX_PAYLOAD);
      this.#header(PipeFrame.data, connection, payload.length);
      if (payload.length >= LARGE) {
        this.#send();
        this.#sink.write(payload);
        continue;
      }
      this.#reserve(payload.length);
      this.#buffer.set(payload, this.#used);
      this.#used += payload.length;
    }
  }

  /** Writes text that is known to be ASCII and shorter than `LARGE`, without making a buffer of it. */
  ascii(connection: number, text: string): void {
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

  /** @param bytes - no more than `LARGE` */
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

/** Receives frames. The payload is part of a larger buffer and belongs to the receiver. */
export type FrameHandler = (kind: PipeFrame, connection: number, payload: Buffer) => void;

/** Cuts a stream of bytes into frames. */
export class PipeFrameReader {
  readonly #handle: FrameHandler;
  #rest: Buffer = Buffer.alloc(0);

  constructor(handle: FrameHandler) {
    this.#handle = handle;
  }

  /** @throws RangeError for a frame that is too long: the other side is no I/O process of this version */
  feed(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
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
