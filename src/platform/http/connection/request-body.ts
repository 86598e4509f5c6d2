import type { Taker } from "../budget.ts";
import { BodyBuffer } from "./body-buffer.ts";
import { ChunkedBody } from "./chunked.ts";
import type { Framing } from "./head.ts";

const EMPTY = Buffer.alloc(0);

/** The body of the request that a connection is reading, by length or in chunks. */
export class RequestBody {
  /** Input that was not taken: what follows the body, or its next lines. */
  rest: Buffer = EMPTY;
  readonly #buffer: BodyBuffer;
  #left = 0;
  #chunked: ChunkedBody | undefined;

  /** @param most bytes of the largest body of any request @param allowance shared by all incoming bodies */
  constructor(most: number, allowance: Taker) {
    this.#buffer = new BodyBuffer(most, allowance);
  }

  /** Bytes that the body has taken from the allowance. */
  get taken(): number {
    return this.#buffer.taken;
  }

  /** @param limit largest body in bytes; the caller has checked a declared length */
  begin(framing: Framing, limit: number): void {
    if (framing === "chunked") this.#chunked = new ChunkedBody(limit, this.#buffer);
    else this.#left = framing.length;
  }

  /** Whether that many bytes are all of the body and leave it incomplete: `take` copies them, and nothing else refers to them. */
  isInside(bytes: number): boolean {
    return this.#chunked === undefined ? bytes < this.#left : this.#chunked.isInside(bytes);
  }

  /**
   * Takes incoming bytes, all of them or a number of lines; `rest` is what it leaves.
   * @returns the whole body, now owned by the caller, or undefined while it is incomplete
   * @throws BodyError
   */
  take(piece: Buffer): Buffer | undefined {
    if (this.#chunked !== undefined) {
      this.rest = piece.subarray(this.#chunked.take(piece));
      return this.#chunked.complete ? this.#finish() : undefined;
    }
    if (piece.length === this.#left && this.#buffer.length === 0) {
      this.#left = 0;
      this.rest = EMPTY;
      return piece;
    }
    const part = piece.subarray(0, this.#left);
    this.#left -= part.length;
    this.rest = piece.subarray(part.length);
    if (this.#left === 0 && this.#buffer.length === 0) return part;
    this.#buffer.append(part);
    return this.#left === 0 ? this.#finish() : undefined;
  }

  /** Releases the memory of a body that will not be read to its end. */
  release(): void {
    this.#buffer.release();
    this.#chunked = undefined;
  }

  #finish(): Buffer {
    this.#chunked = undefined;
    return this.#buffer.hand();
  }
}
