/** Bytes that are allocated at once. */
const SLAB_BYTES = 0x10000;

let slab = new ArrayBuffer(0);
let used = 0;

/**
 * Zeros for the typed arrays of one small table, side by side in a buffer that the tables of many journals share: a
 * journal is made for each call, and a buffer of its own costs a microsecond, more than all the arrays in it.
 */
export class TableMemory {
  readonly #buffer: ArrayBuffer;
  #at: number;

  /** @param words - 32-bit words for all arrays together, at most 16,384 */
  constructor(words: number) {
    if (used + words * 4 > slab.byteLength) {
      slab = new ArrayBuffer(SLAB_BYTES);
      used = 0;
    }
    this.#buffer = slab;
    this.#at = used;
    used += words * 4;
  }

  /** The next array. */
  take<T>(kind: new (buffer: ArrayBuffer, at: number, length: number) => T, length: number): T {
    const array = new kind(this.#buffer, this.#at, length);
    this.#at += length * 4;
    return array;
  }
}
