import { mappedBuffer } from "../../runtime/buffers.ts";
import type { Taker } from "../budget.ts";

/** A body up to this many bytes is always accepted: only the excess counts against the node's allowance. */
export const FREE_BYTES = 64 * 1024;

/** Bytes from which a buffer is mapped: clients may leave hundreds of unfinished bodies behind. */
const MAPPED_BYTES = 128 * 1024;

const EMPTY = Buffer.alloc(0);

/** Why a body is refused: malformed (400), too large (413), or too little memory for bodies (503). */
export class BodyError extends Error {
  override name = "BodyError";
  readonly status: 400 | 413 | 503;

  constructor(status: 400 | 413 | 503, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Collects a body that arrives in chunks of any size, in at most twice its size. Buffers that were copied are overwritten, since they
 * may contain secrets.
 */
export class BodyBuffer {
  readonly #allowance: Taker;
  readonly #limit: number;
  #bytes = EMPTY;
  #length = 0;
  #taken = 0;

  /** @param limit largest body in bytes @param allowance shared by all incoming bodies */
  constructor(limit: number, allowance: Taker) {
    this.#limit = limit;
    this.#allowance = allowance;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes taken from the allowance. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes ownership of a chunk; the caller enforces the size limit. @throws BodyError 503 when the memory for bodies is exhausted
   */
  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) this.#grow(length);
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
    piece.fill(0);
  }

  /** The whole body, now owned by the caller; resets the buffer. */
  hand(): Buffer {
    const body = this.#bytes.subarray(0, this.#length);
    this.#begin();
    return body;
  }

  /** Discards what was collected. */
  release(): void {
    this.#bytes.fill(0);
    this.#begin();
  }

  #begin(): void {
    this.#allowance.give(this.#taken);
    this.#taken = 0;
    this.#bytes = EMPTY;
    this.#length = 0;
  }

  #grow(needed: number): void {
    const size = Math.max(needed, Math.min(this.#limit, Math.max(4096, 2 * this.#bytes.length)));
    const more = Math.max(0, size - FREE_BYTES) - this.#taken;
    if (more > 0) {
      if (!this.#allowance.take(more)) throw new BodyError(503, "too many requests are coming in");
      this.#taken += more;
    }
    const bytes = size < MAPPED_BYTES ? Buffer.allocUnsafeSlow(size) : mappedBuffer(size);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#bytes.fill(0);
    this.#bytes = bytes;
  }
}
