import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** The hashes that a peer has, as far as it is known; when there are too many, the oldest is forgotten. */
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
}
