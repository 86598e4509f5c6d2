import type { Hex } from "../../protocol/primitives/hex.ts";

/**
 * A bounded set of hashes, such as those that a peer is known to have; the oldest is evicted.
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
    if (this.#hashes.size >= this.#capacity) this.#hashes.delete(this.#hashes.values().next().value as Hex);
    this.#hashes.add(hash);
  }

  delete(hash: Hex): void {
    this.#hashes.delete(hash);
  }
}
