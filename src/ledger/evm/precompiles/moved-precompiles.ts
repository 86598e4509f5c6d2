import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** A precompile that is moved to another address in a simulated block, or removed. */
export interface PrecompileMove {
  /** Its address in the protocol, which becomes an ordinary account. */
  readonly from: Address;
  /** Undefined = removed: the account was overridden. */
  readonly to: Address | undefined;
}

/** Addresses of precompiles in a simulated block. */
export class MovedPrecompiles {
  /** Address in the protocol by address in the block; undefined where a precompile was moved away. */
  readonly #sources: ReadonlyMap<string, Address | undefined>;

  /** @param moves - in order: of two moves to the same address the last one wins */
  constructor(moves: readonly PrecompileMove[]) {
    const sources = new Map<string, Address | undefined>();
    for (const { from } of moves) sources.set(bytesToHex(from), undefined);
    for (const { from, to } of moves) if (to !== undefined) sources.set(bytesToHex(to), from);
    this.#sources = sources;
  }

  /** Maps an address in the block to that in the protocol; undefined if a precompile was moved away from it. */
  source(address: Address): Address | undefined {
    const name = bytesToHex(address);
    return this.#sources.has(name) ? this.#sources.get(name) : address;
  }
}
