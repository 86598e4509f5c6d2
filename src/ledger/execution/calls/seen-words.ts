import { hashLimbs } from "../../state/journal/limb-tables.ts";

/** Number of words remembered: a power of two. */
const BUCKETS = 64;
const LIMBS = 8;

/**
 * Remembers recently seen 256-bit words, each with its owner, since loops access the same few again and again. It may
 * forget a word, but never confuses two.
 */
export class SeenWords {
  readonly #owners: (object | undefined)[] = Array.from({ length: BUCKETS });
  readonly #filled = new Uint8Array(BUCKETS);
  readonly #limbs = new Uint32Array(BUCKETS * LIMBS);

  /** Whether the word at `limbs[at]` has been seen for this owner; remembers it from now on. */
  has(limbs: Uint32Array, at: number, owner: object | undefined): boolean {
    const bucket = hashLimbs(limbs, at, LIMBS, 0) & (BUCKETS - 1);
    const start = bucket * LIMBS;
    let isSame = this.#filled[bucket] === 1 && this.#owners[bucket] === owner;
    for (let i = 0; i < LIMBS; i++) {
      if (this.#limbs[start + i] === limbs[at + i]) continue;
      isSame = false;
      this.#limbs[start + i] = limbs[at + i] as number;
    }
    this.#owners[bucket] = owner;
    this.#filled[bucket] = 1;
    return isSame;
  }
}
