import type { Address } from "../../../protocol/primitives/bytes.ts";
import { NonceList } from "./nonce-list.ts";

/** One sender's part of the pool. */
export interface Sender {
  readonly address: Address;
  /** `address` as lower-case 0x hex. */
  readonly key: string;
  /** Executable: no gaps, starting at the account's nonce. */
  readonly pending: NonceList;
  /** For later: gaps, or a price below the base fee. */
  readonly queue: NonceList;
  /** Exempt from caps, and journaled. */
  isLocal: boolean;
}

/** A sender without transactions. */
export function createSender(address: Address, key: string, isLocal: boolean): Sender {
  return { address, key, pending: new NonceList(), queue: new NonceList(), isLocal };
}
