import type { Socket } from "node:net";
import { withRoom } from "../../../platform/runtime/buffers.ts";
import { StreamError } from "../errors.ts";

/**
 * Maximum response of a broker: metadata of a few topics take some hundred bytes. The client reads each in one piece, this much in some 20 ms
 * of the main thread's time.
 */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Length of the correlation id at the start of each response. */
const MIN_RESPONSE_BYTES = 4;
const HEAD_BYTES = 4;
const EMPTY = Buffer.alloc(0);

type Listener = (...values: never[]) => void;

/**
 * Passes to a connection's listener only whole responses of a plausible length, and no more of them than there were requests; otherwise,
 * and also when the listener throws, the connection is closed. Kafka's client allocates memory for long responses, keeps each piece
 * of one as an object, reads what nobody asked for, and would crash the process on one that is too short.
 */
export function guardFrames(socket: Socket): Socket {
  let unanswered = 0;
  const write = socket.write.bind(socket) as (...values: unknown[]) => boolean;
  socket.write = ((...values: unknown[]) => {
    unanswered++; // the client writes each request at once
    return write(...values);
  }) as Socket["write"];
  const frames = new FrameIntake();
  const on = socket.on.bind(socket) as (event: string, listener: Listener) => Socket;
  const guarded = (listener: (frame: Buffer) => void) => (chunk: Buffer) => {
    try {
      frames.take(chunk, (frame) => {
        if (unanswered-- === 0) throw new StreamError("BROKER", "the broker answers what nobody asked");
        listener(frame);
        return !socket.destroyed;
      });
    } catch (error) {
      socket.destroy(error as Error);
    }
  };
  // Listeners of "data" take chunks; the overloads of `on` cannot be expressed by one function.
  socket.on = ((event: string, listener: Listener) =>
    on(event, event === "data" ? guarded(listener as never) : listener)) as Socket["on"];
  return socket;
}

/** Collects responses, each after 4 bytes with its length, most significant first, in at most twice their size. */
class FrameIntake {
  #buffer: Buffer = EMPTY;
  #length = 0;
  #total = HEAD_BYTES;

  /**
   * @param pass - receives each response with its length, in memory of its own; returns whether to continue
   * @throws StreamError `BROKER` for an implausible length
   */
  take(chunk: Buffer, pass: (frame: Buffer) => boolean): void {
    for (let at = 0; at < chunk.length; ) {
      const end = Math.min(at + this.#total - this.#length, chunk.length);
      this.#buffer = withRoom(this.#buffer, this.#length, this.#length + end - at);
      this.#length += chunk.copy(this.#buffer, this.#length, at, end);
      at = end;
      if (this.#length < this.#total) return;
      if (this.#total === HEAD_BYTES) this.#total += checkedLength(this.#buffer.readUInt32BE());
      else if (!pass(this.#hand())) return;
    }
  }

  #hand(): Buffer {
    const frame = this.#buffer.subarray(0, this.#total);
    this.#buffer = EMPTY;
    this.#length = 0;
    this.#total = HEAD_BYTES;
    return frame;
  }
}

function checkedLength(bytes: number): number {
  if (bytes >= MIN_RESPONSE_BYTES && bytes <= MAX_RESPONSE_BYTES) return bytes;
  throw new StreamError("BROKER", `a response of ${bytes} bytes is rejected`);
}
