import { compareBytes } from "../../../protocol/primitives/bytes.ts";

/** Stretches that are kept: their keys take some 100 KB. */
const MOST = 1024;

/** Between two rows that follow each other; undefined = before the first row, behind the last. */
interface Stretch {
  readonly below: Uint8Array | undefined;
  readonly above: Uint8Array | undefined;
}

/**
 * Stretches of keys in which a store has no rows. Looking at the rows on both sides of an absent one costs 7 µs; in a store
 * with few rows, as that of a development chain, most absent keys lie in stretches that were looked at before. Whoever writes
 * rows forgets them all.
 */
export class EmptyStretches {
  /** In order; none overlap, since each lies between neighbours. */
  readonly #stretches: Stretch[] = [];

  /** Whether a key lies in a known stretch. */
  has(key: Uint8Array): boolean {
    const stretch = this.#stretches[this.#after(key) - 1];
    return stretch !== undefined && (!stretch.above || compareBytes(key, stretch.above) < 0);
  }

  /** Keeps what was found around an absent key, as copies. Both rows are whole, and nothing lies between them. */
  add(below: Uint8Array | undefined, above: Uint8Array | undefined): void {
    if (this.#stretches.length >= MOST) this.clear();
    this.#stretches.splice(below ? this.#after(below) : 0, 0, {
      below: below?.slice(),
      above: above?.slice(),
    });
  }

  clear(): void {
    this.#stretches.length = 0;
  }

  /** Index behind the stretches that begin before a key. */
  #after(key: Uint8Array): number {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { below } = this.#stretches[middle] as Stretch;
      if (below === undefined || compareBytes(below, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
