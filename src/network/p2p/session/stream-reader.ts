import type { ByteStream } from "../../../platform/runtime/network.ts";
import { allocateBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";

/** Most unread bytes; the other side has no reason to send more before it is asked. */
const MAX_WAITING = 1 << 18;

/** Reads a stream in pieces of requested length, for the handshake. */
export class StreamReader {
  readonly #stream: ByteStream;
  #waiting: Uint8Array = new Uint8Array(0);
  #wanted:
    | { readonly length: number; resolve(bytes: Uint8Array): void; reject(error: Error): void }
    | undefined;
  #ended: Error | undefined;
  #onBytes: (bytes: Uint8Array) => void = (bytes) => this.#keep(bytes);
  #onEnd: (error?: Error) => void = (error) =>
    this.#end(error ?? new PeerError("HANDSHAKE", "connection closed"));

  constructor(stream: ByteStream) {
    this.#stream = stream;
    stream.receive(
      (bytes) => this.#onBytes(bytes),
      (error) => this.#onEnd(error),
    );
  }

  /** The next `length` bytes; one call at a time. @throws when the stream ends before */
  read(length: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#wanted = { length, resolve, reject };
      this.#serve();
    });
  }

  /** Fails what is being read. */
  fail(error: Error): void {
    this.#end(error);
  }

  /** Hands the stream over: unread bytes, and all that follow. */
  handOver(onBytes: (bytes: Uint8Array) => void, onEnd: (error?: Error) => void): void {
    this.#onBytes = onBytes;
    this.#onEnd = onEnd;
    if (this.#waiting.length > 0) onBytes(this.#waiting);
    if (this.#ended !== undefined) onEnd(this.#ended);
  }

  #keep(bytes: Uint8Array): void {
    const { length } = this.#waiting;
    if (length + bytes.length > MAX_WAITING) {
      this.#end(new PeerError("HANDSHAKE", "too many bytes before the handshake is over"));
      this.#stream.close(true);
      return;
    }
    const joined = allocateBytes(length + bytes.length);
    joined.set(this.#waiting);
    joined.set(bytes, length);
    this.#waiting = joined;
    this.#serve();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#serve();
  }

  #serve(): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    if (this.#waiting.length >= wanted.length) {
      this.#wanted = undefined;
      const taken = this.#waiting.subarray(0, wanted.length);
      this.#waiting = this.#waiting.subarray(wanted.length);
      wanted.resolve(taken);
    } else if (this.#ended !== undefined) {
      this.#wanted = undefined;
      wanted.reject(this.#ended);
    }
  }
}
