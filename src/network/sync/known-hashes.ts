import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** Hashes that are remembered, such as those that a peer is known to have; the oldest is dropped when there are too many. */
export class KnownHashes {
  readonly #most: number;
  readonly #hashes = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  has(hash: Uint8Array): boolean {
    return this.#hashes.has(bytesToHex(hash));
  }

  add(hash: Uint8Array): void {
    const key = bytesToHex(hash);
    if (this.#hashes.has(key)) return;
    if (this.#hashes.size >= this.#most) this.#hashes.delete(this.#hashes.values().next().value as string);
    this.#hashes.add(key);
  }

  delete(hash: Uint8Array): void {
    this.#hashes.delete(bytesToHex(hash));
  }
}
