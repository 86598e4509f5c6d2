import type { Holder } from "../../runtime/shared-bytes.ts";
import type { ClientSocket } from "../../sockets/client-socket.ts";
import type { UnsentBytes } from "../budget.ts";
import type { Guard } from "../guard.ts";
import { PIECE, type Pieces, piecesOf } from "../pieces.ts";

/** Bytes handed to the socket at a time: larger responses go in slices, so that progress can be observed. */
const SLICE = PIECE;
/** Pieces of at least this many bytes are written as they are: joining would copy them. */
const LARGE = 16 * 1024;
/** Overhead of a queued piece besides its bytes. */
export const PIECE_OVERHEAD = 256;
/** Bytes that may be buffered for one client; a single response may be larger. */
const MAX_BUFFERED = 64 * 1024 * 1024;

/** The bounded output buffer of one socket: a client that does not read affects only its own connection. */
export class Outflow implements Holder {
  readonly owner: unknown;
  readonly #socket: ClientSocket;
  readonly #total: UnsentBytes;
  /** Pieces not yet written to the socket. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Progress in the first waiting piece: its memory is held until all of it has been sent. */
  #sentOfFirst = 0;
  #counted = 0;
  #isEnding = false;
  #isFull = false;
  /** When the client last read something, or had nothing to read; monotonic, in milliseconds. */
  #movedAt = 0;

  /** @param total bytes of all clients @param guard of the connection @param owner the connection, if it holds more than this */
  constructor(socket: ClientSocket, total: UnsentBytes, guard: Guard, owner?: unknown) {
    this.#socket = socket;
    this.#total = total;
    this.owner = owner ?? this;
    socket.on("drain", () =>
      guard(() => {
        this.#isFull = false;
        this.#pump();
      }),
    );
    socket.once("close", () => guard(() => this.#drop()));
  }

  /** Bytes that the client has yet to read. */
  get unsent(): number {
    return this.#socket.writableLength + this.#waitingBytes;
  }

  /** Memory, in bytes, of everything buffered for the client. */
  get held(): number {
    return this.unsent + this.#sentOfFirst + this.#waiting.length * PIECE_OVERHEAD;
  }

  /** Whether the client must read before more is produced for it; a `drain` of the socket follows. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether the client has read nothing for too long. */
  get isStalled(): boolean {
    return this.isFull && performance.now() - this.#movedAt > this.#total.stalledSeconds * 1000;
  }

  /**
   * Sends a text, or cuts the client off if too much is buffered. Does nothing on a socket that has ended.
   * @param encoding - `latin1` for what is known to be ASCII, which is copied instead of encoded
   */
  write(text: string | Pieces, encoding: "utf8" | "latin1" = "utf8"): void {
    if (this.#isEnding || this.#socket.destroyed) return;
    if (typeof text !== "string") this.#enqueue(text.pieces, text.length);
    else if (text.length <= SLICE && this.unsent === 0) this.#note(this.#socket.write(text, encoding));
    else {
      const { pieces, length } = piecesOf(text, encoding);
      this.#enqueue(pieces, length);
    }
    this.#count();
  }

  /** Closes the sending side when all is sent. */
  end(): void {
    this.#isEnding = true;
    if (this.#waitingBytes > 0) return;
    this.#isFull = false; // it will not drain
    this.#socket.end();
  }

  cutOff(): void {
    this.#total.noteCut();
    this.#socket.destroy();
    this.#drop();
  }

  #enqueue(pieces: readonly Uint8Array[], bytes: number): void {
    if (this.unsent > 0 && this.held + bytes > MAX_BUFFERED) {
      this.cutOff();
      return;
    }
    for (const piece of pieces) this.#waiting.push(piece);
    this.#waitingBytes += bytes;
    if (!this.isFull) this.#pump();
  }

  #pump(): void {
    this.#movedAt = performance.now();
    while (this.#waiting.length > 0 && this.#socket.writableLength < SLICE && !this.#socket.destroyed)
      this.#note(this.#socket.write(this.#nextSlice()));
    if (this.#isEnding) this.end();
    this.#count();
  }

  /** @param hasRoom - what the socket returned; it also returns false when it has been destroyed, and never drains then */
  #note(hasRoom: boolean): void {
    this.#isFull = !hasRoom && this.#socket.writableNeedDrain;
  }

  /** Joins small pieces, sends large ones as they are, and splits those longer than a slice. */
  #nextSlice(): Uint8Array {
    const first = this.#waiting[0] as Uint8Array;
    if (first.length > SLICE) {
      this.#waiting[0] = first.subarray(SLICE);
      this.#waitingBytes -= SLICE;
      this.#sentOfFirst += SLICE;
      return first.subarray(0, SLICE);
    }
    this.#sentOfFirst = 0;
    let [count, size] = [0, 0];
    for (const { length } of this.#waiting) {
      if (count > 0 && (length >= LARGE || size + length > SLICE)) break;
      count++;
      size += length;
      if (length >= LARGE) break;
    }
    this.#waitingBytes -= size;
    const slice = this.#waiting.splice(0, count);
    return count === 1 ? first : Buffer.concat(slice);
  }

  #count(): void {
    const { held } = this;
    if (held === this.#counted) return;
    this.#counted = held;
    this.#total.set(this, held);
  }

  #drop(): void {
    this.#isFull = false;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#sentOfFirst = 0;
    this.#counted = 0;
    this.#total.set(this, 0);
  }
}
