import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { TimeSlice } from "../../runtime/turns/time-slice.ts";
import { shareReads } from "../../sockets/shared-reads.ts";
import { continueWith, type Guard } from "../guard.ts";

/** Records passed on between two looks at the clock, each of which may cost 30 µs. */
const MAX_RECORDS = 16;
/** Records at the beginning of a read that wait for no turn: one request, which others' handshakes should not hold up. */
const FIRST_RECORDS = 2;
const RECORD_HEAD = 5;
const EMPTY = Buffer.alloc(0);

/** What a connection with TLS needs of its listener. */
export interface RecordGateParts {
  readonly slice: Pick<TimeSlice, "isDue" | "yield">;
  /** Runs its callbacks. */
  readonly guard: Guard;
  /** What was read before. */
  readonly first: Buffer;
}

/**
 * The encrypted side of a connection with TLS: passes on to OpenSSL what the client sends, a few records at a time, within the slice that
 * all clients share. A read of 64 KiB may contain 2,400 records that ask for new keys (RFC 8446, 4.6.3), or have a byte each, and Node.js
 * would read up to 32 times before anybody else got a turn.
 */
export class RecordGate extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly #socket: Socket;
  readonly #parts: RecordGateParts;
  /** Not passed on yet: one read, and a piece of the one before. */
  #waiting: Buffer;
  /** Bytes still to be passed on of the record that was begun. */
  #within = 0;
  /** Nothing of the last read has been passed on yet, and nothing of the one before is waiting. */
  #isNew = true;
  #awaitsTurn = false;
  #isFull = false;
  #hasEnded = false;

  constructor(socket: Socket, parts: RecordGateParts) {
    super();
    this.#socket = socket;
    this.#parts = parts;
    this.#waiting = parts.first;
    this.remoteAddress = socket.remoteAddress;
    socket.setNoDelay(true);
    shareReads(socket);
    socket.on("data", this.#onData).on("end", this.#onEnd);
    socket.on("error", this.#onClose).on("close", this.#onClose);
  }

  override _read(): void {
    this.#isFull = false;
    this.#parts.guard(this.#passOn);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(_error: Error | null, done: () => void): void {
    this.#socket.destroy();
    this.#waiting = EMPTY;
    done();
  }

  readonly #onData = (bytes: Buffer): void => this.#parts.guard(this.#take, bytes);
  readonly #onEnd = (): void => this.#parts.guard(this.#end);
  readonly #onClose = (): void => void this.destroy();

  readonly #take = (bytes: Buffer): void => {
    this.#isNew = this.#waiting.length < RECORD_HEAD;
    this.#waiting = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes]);
    this.#passOn();
  };

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#passOn();
  };

  readonly #passOn = (): void => {
    if (this.#awaitsTurn) return;
    for (;;) {
      const end = this.#endOf(this.#isNew ? FIRST_RECORDS : MAX_RECORDS);
      const length = Math.min(end, this.#waiting.length);
      if (length === 0) break;
      if (this.#isFull) {
        this.#socket.pause();
        return;
      }
      if (!this.#isNew && this.#parts.slice.isDue()) {
        this.#wait();
        return;
      }
      this.#isNew = false;
      this.#within = end - length;
      const piece = this.#waiting.subarray(0, length);
      this.#waiting = this.#waiting.subarray(length);
      this.#isFull = !this.push(piece);
    }
    if (this.#hasEnded) this.push(null);
    else if (this.#socket.isPaused()) this.#socket.resume();
  };

  /** Where the last of so many records ends, of which more may have to come; one whose head is cut off does not count. */
  #endOf(most: number): number {
    const bytes = this.#waiting;
    let at = this.#within;
    for (let records = 0; records < most && at + RECORD_HEAD <= bytes.length; records++)
      at += RECORD_HEAD + bytes.readUInt16BE(at + 3);
    return at;
  }

  #wait(): void {
    this.#awaitsTurn = true;
    this.#socket.pause();
    continueWith(this.#parts.slice.yield("clients", this), this.#parts.guard, () => {
      this.#awaitsTurn = false;
      this.#passOn();
    });
  }
}
