import type { Hex } from "../../protocol/primitives/hex.ts";

/**
 * Hashes in hexadecimal digits that are remembered, such as those that a peer is known to have; the oldest is dropped when there are
 * too many.
 */
export class KnownHashes {
  readonly #most: number;
  readonly #hashes = new Set<Hex>();

  constructor(most: number) {
    this.#most = most;
  }

  has(hash: Hex): boolean {
    return this.#hashes.has(hash);
  }

  add(hash: Hex): void {
    if (this.#hashes.has(hash)) return;
    if (this.#hashes.size >= this.#most) this.#hashes.delete(this.#hashes.values().next().value as Hex);
    this.#hashes.add(hash);
  }

  delete(hash: Hex): void {
    this.#hashes.delete(hash);
  }
}
