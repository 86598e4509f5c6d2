import type { ByteStream } from "../../../platform/runtime/network.ts";
import { allocateBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";

/** Maximum buffered bytes; the other side has no reason to send more during the handshake. */
const MAX_BUFFERED = 1 << 18;

/** Reads exact numbers of bytes from a stream, for the handshake. */
export class StreamReader {
  readonly #stream: ByteStream;
  #queue: Uint8Array = new Uint8Array(0);
  #wanted:
    | { readonly length: number; resolve(bytes: Uint8Array): void; reject(error: Error): void }
    | undefined;
  #ended: Error | undefined;
  #onBytes: (bytes: Uint8Array) => void = (bytes) => this.#buffer(bytes);
  #onEnd: (error?: Error) => void = (error) =>
    this.#end(error ?? new PeerError("HANDSHAKE", "connection closed"));

  constructor(stream: ByteStream) {
    this.#stream = stream;
    stream.receive(
      (bytes) => this.#onBytes(bytes),
      (error) => this.#onEnd(error),
    );
  }

  /** The next `length` bytes; one call at a time. @throws if the stream ends first */
  read(length: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#wanted = { length, resolve, reject };
      this.#serve();
    });
  }

  /** Fails the current and further reads. */
  fail(error: Error): void {
    this.#end(error);
  }

  /** Hands the stream over: buffered bytes, and all that follow. */
  handOver(onBytes: (bytes: Uint8Array) => void, onEnd: (error?: Error) => void): void {
    this.#onBytes = onBytes;
    this.#onEnd = onEnd;
    if (this.#queue.length > 0) onBytes(this.#queue);
    if (this.#ended !== undefined) onEnd(this.#ended);
  }

  #buffer(bytes: Uint8Array): void {
    const { length } = this.#queue;
    if (length + bytes.length > MAX_BUFFERED) {
      this.#end(new PeerError("HANDSHAKE", "too many bytes before the end of the handshake"));
      this.#stream.close(true);
      return;
    }
    const joined = allocateBytes(length + bytes.length);
    joined.set(this.#queue);
    joined.set(bytes, length);
    this.#queue = joined;
    this.#serve();
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#serve();
  }

  #serve(): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    if (this.#queue.length >= wanted.length) {
      this.#wanted = undefined;
      const taken = this.#queue.subarray(0, wanted.length);
      this.#queue = this.#queue.subarray(wanted.length);
      wanted.resolve(taken);
    } else if (this.#ended !== undefined) {
      this.#wanted = undefined;
      wanted.reject(this.#ended);
    }
  }
}
