import { continueWith, type Guard } from "../../../platform/http/guard.ts";
import type { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { ClientSocket } from "../../../platform/sockets/client-socket.ts";

/** Bytes parsed between two looks at the clock: a thousand frames at most. */
const CHUNK_BYTES = 8192;
/** Bytes of a small read: some forty frames at most. */
const SMALL_BYTES = 512;

/** The connection whose bytes are passed on. */
export interface GatedReader {
  /** Of the connection. */
  readonly guard: Guard;
  /** Parses bytes, whatever is in them. */
  parse(bytes: Buffer): void;
  /** Whether nothing is to be read from the client at present; `ReadGate.proceed` is called afterwards. */
  isPaused(): boolean;
}

/**
 * Parses the incoming bytes of a connection within the slice shared by all clients. A read of 64 KiB may contain ten thousand
 * frames, and one turn of the event loop may read from every connection: without it, a thousand connections block the thread for
 * many seconds.
 */
export class ReadGate {
  readonly #socket: ClientSocket;
  readonly #slice: Pick<TimeSlice, "isDue" | "isDueForSmall" | "yield">;
  readonly #reader: GatedReader;
  #waiting: Buffer[] = [];
  #awaitsTurn = false;
  /** Bytes that may still be dropped; undefined while the gate is open. */
  #droppable: number | undefined;

  constructor(
    socket: ClientSocket,
    slice: Pick<TimeSlice, "isDue" | "isDueForSmall" | "yield">,
    reader: GatedReader,
  ) {
    this.#socket = socket;
    this.#slice = slice;
    this.#reader = reader;
  }

  /** Takes bytes of the client. */
  take(bytes: Buffer): void {
    if (this.#droppable !== undefined) this.#drop(bytes.length);
    else if (this.#mayParse(bytes)) {
      this.#reader.parse(bytes);
      this.#readOn();
      return;
    } else this.#waiting.push(bytes);
    this.proceed();
  }

  /** Whether a read is small, and nothing prevents that it is parsed at once. */
  #mayParse({ length }: Buffer): boolean {
    const isFree = this.#waiting.length === 0 && !this.#awaitsTurn && !this.#reader.isPaused();
    return isFree && length <= SMALL_BYTES && !this.#slice.isDueForSmall();
  }

  /** Continues if nothing prevents it. */
  proceed(): void {
    if (this.#awaitsTurn) {
      this.#socket.pause();
      return;
    }
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#reader.isPaused()) return;
      if (this.#slice.isDue()) {
        this.#wait();
        return;
      }
      if (first.length > CHUNK_BYTES) this.#waiting[0] = first.subarray(CHUNK_BYTES);
      else this.#waiting.shift();
      this.#reader.parse(first.subarray(0, CHUNK_BYTES));
    }
    this.#readOn();
  }

  #readOn(): void {
    if (!this.#socket.isPaused()) return;
    const isPaused = this.#droppable === undefined && this.#reader.isPaused();
    if (!isPaused) this.#socket.resume();
  }

  /**
   * Drops what has not been parsed and what still comes: a connection that is closed with unread input is reset, and its client might
   * not see why it was closed.
   * @param most - bytes after which the connection is closed nevertheless
   */
  close(most: number): void {
    this.#waiting = [];
    this.#droppable = most;
    this.proceed();
  }

  /** The connection is over: drops what has not been parsed. */
  end(): void {
    this.close(Number.POSITIVE_INFINITY);
  }

  #drop(bytes: number): void {
    this.#droppable = (this.#droppable ?? 0) - bytes;
    if (this.#droppable < 0) this.#socket.destroy();
  }

  #wait(): void {
    this.#awaitsTurn = true;
    this.#socket.pause();
    continueWith(this.#slice.yield("clients", this), this.#reader.guard, () => {
      this.#awaitsTurn = false;
      this.proceed();
    });
  }
}
