import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** A precompile that stands elsewhere in a simulated block, or nowhere. */
export interface PrecompileMove {
  /** Its address in the protocol, which is an ordinary one in that block. */
  readonly from: Address;
  /** Absent = nowhere: the account was overridden. */
  readonly to: Address | undefined;
}

/** Where precompiles stand in a simulated block. */
export class MovedPrecompiles {
  /** The address in the protocol by the one in the block; undefined where there is a precompile no more. */
  readonly #sources: ReadonlyMap<string, Address | undefined>;

  /** @param moves - in the order in which they are made: of two to one address the last counts */
  constructor(moves: readonly PrecompileMove[]) {
    const sources = new Map<string, Address | undefined>();
    for (const { from } of moves) sources.set(bytesToHex(from), undefined);
    for (const { from, to } of moves) if (to !== undefined) sources.set(bytesToHex(to), from);
    this.#sources = sources;
  }

  /** The address under which the protocol knows what stands at `address`; undefined for one that was left. */
  source(address: Address): Address | undefined {
    const name = bytesToHex(address);
    return this.#sources.has(name) ? this.#sources.get(name) : address;
  }
}
