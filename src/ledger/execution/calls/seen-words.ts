import { hashLimbs } from "../../state/journal/limb-tables.ts";

/** How many words are remembered: a power of two. */
const PLACES = 64;
const LIMBS = 8;

/**
 * Remembers recently seen 256-bit words, each with its owner: code in a loop names the same
 * few again and again. It may forget a word, but never confuses two.
 */
export class SeenWords {
  readonly #owners: (object | undefined)[] = Array.from({ length: PLACES });
  readonly #filled = new Uint8Array(PLACES);
  readonly #limbs = new Uint32Array(PLACES * LIMBS);

  /** Whether the word at `limbs[at]` is remembered for its owner; remembers it from now on. */
  has(limbs: Uint32Array, at: number, owner: object | undefined): boolean {
    const place = hashLimbs(limbs, at, LIMBS, 0) & (PLACES - 1);
    const kept = place * LIMBS;
    let isSame = this.#filled[place] === 1 && this.#owners[place] === owner;
    for (let i = 0; i < LIMBS; i++) {
      if (this.#limbs[kept + i] === limbs[at + i]) continue;
      isSame = false;
      this.#limbs[kept + i] = limbs[at + i] as number;
    }
    this.#owners[place] = owner;
    this.#filled[place] = 1;
    return isSame;
  }
}
