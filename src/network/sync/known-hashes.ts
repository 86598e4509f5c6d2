import type { Hex } from "../../protocol/primitives/hex.ts";
import { EVICTED_SHARE } from "../../protocol/primitives/lru.ts";

/**
 * A bounded set of hashes, such as those that a peer is known to have; the oldest are evicted.
 */
export class KnownHashes {
  readonly #capacity: number;
  readonly #hashes = new Set<Hex>();

  constructor(max: number) {
    this.#capacity = max;
  }

  has(hash: Hex): boolean {
    return this.#hashes.has(hash);
  }

  add(hash: Hex): void {
    if (this.#hashes.has(hash)) return;
    if (this.#hashes.size >= this.#capacity) this.#evict();
    this.#hashes.add(hash);
  }

  #evict(): void {
    const goal = this.#capacity - Math.ceil(this.#capacity * EVICTED_SHARE);
    for (const oldest of this.#hashes) {
      if (this.#hashes.size <= goal) return;
      this.#hashes.delete(oldest);
    }
  }

  delete(hash: Hex): void {
    this.#hashes.delete(hash);
  }
}
