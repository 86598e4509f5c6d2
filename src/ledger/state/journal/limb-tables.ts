import { randomFillSync } from "node:crypto";

/**
 * Seeds of the hash tables, drawn once per process. They decide only which bucket a key falls into, never a result;
 * without them a contract could choose addresses or slots that all collide and so make look-ups linear.
 */
const [SEED, FACTOR] = drawSeeds();

function drawSeeds(): readonly [number, number] {
  const [seed = 0, factor = 0] = randomFillSync(new Int32Array(2));
  return [seed, factor | 1];
}

/** Bytes per allocation. */
const SLAB_BYTES = 0x10000;

let slab = new ArrayBuffer(0);
let used = 0;

/** Writes up to 32 big-endian bytes as a word: eight 32-bit limbs at `words[at]`, least significant first. */
export function bytesToLimbs(bytes: Uint8Array, words: Uint32Array, at: number): void {
  words.fill(0, at, at + 8);
  for (let i = bytes.length - 1, bit = 0; i >= 0; i--, bit += 8) {
    const limb = at + (bit >>> 5);
    words[limb] = (words[limb] as number) | ((bytes[i] as number) << (bit & 31));
  }
}

/** The word at `words[at]` as 32 new big-endian bytes. */
export function limbsToBytes(words: Uint32Array, at: number): Uint8Array {
  const bytes = new Uint8Array(32);
  for (let limb = 0, end = 31; limb < 8; limb++) {
    let word = words[at + limb] as number;
    for (let i = 0; i < 4; i++, word >>>= 8) bytes[end--] = word;
  }
  return bytes;
}

/** Hash of `count` 32-bit limbs of `words` from index `at`, mixed with `salt`. */
export function hashLimbs(words: Uint32Array, at: number, count: number, salt: number): number {
  let hash = SEED ^ salt;
  for (let i = 0; i < count; i++) {
    hash = Math.imul(hash ^ (words[at + i] as number), FACTOR);
    hash ^= hash >>> 15;
  }
  return Math.imul(hash, 0x85ebca6b) >>> 7;
}

/**
 * Zeroed memory for the typed arrays of one small table, in a buffer shared by the tables of many journals: a journal
 * is created for each call, and allocating a buffer costs a microsecond, more than all the arrays in it.
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
