import type { ByteStream } from "../../../platform/runtime/network.ts";

/** One end of a connection in memory. */
export class TestStream implements ByteStream {
  readonly local = { host: "127.0.0.1", port: 1 };
  readonly remote = { host: "127.0.0.1", port: 2 };
  readonly unsent = 0;
  /** Everything that this end has written. */
  readonly written: Uint8Array[] = [];
  isClosed = false;
  #other: TestStream = this;
  #onBytes: ((bytes: Uint8Array) => void) | undefined;
  #onEnd: ((error?: Error) => void) | undefined;
  readonly #early: Uint8Array[] = [];

  /** Both ends of a connection. */
  static pair(): readonly [TestStream, TestStream] {
    const a = new TestStream();
    const b = new TestStream();
    a.#other = b;
    b.#other = a;
    return [a, b];
  }

  receive(onBytes: (bytes: Uint8Array) => void, onEnd: (error?: Error) => void): void {
    this.#onBytes = onBytes;
    this.#onEnd = onEnd;
    for (const bytes of this.#early.splice(0)) onBytes(bytes);
    if (this.isClosed) onEnd();
  }

  write(bytes: Uint8Array): void {
    if (this.isClosed) return;
    this.written.push(bytes);
    queueMicrotask(() => this.#other.#arrive(bytes));
  }

  pause(): void {}
  resume(): void {}

  close(): void {
    queueMicrotask(() => {
      this.#end();
      this.#other.#end();
    });
  }

  #arrive(bytes: Uint8Array): void {
    if (this.#onBytes) this.#onBytes(bytes);
    else this.#early.push(bytes);
  }

  #end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#onEnd?.();
  }
}
