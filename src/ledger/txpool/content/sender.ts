import type { Address } from "../../../protocol/primitives/bytes.ts";
import { NonceList } from "./nonce-list.ts";

/** The transactions of one sender. */
export interface Sender {
  readonly address: Address;
  /** `address` as lower-case 0x hex. */
  readonly key: string;
  /** Executable transactions: consecutive nonces from the account's nonce on. */
  readonly pending: NonceList;
  /** Transactions not executable yet, for a nonce gap or a price below the base fee. */
  readonly queue: NonceList;
  /** Exempt from limits, and journaled. */
  isLocal: boolean;
}

/** A sender without transactions. */
export function createSender(address: Address, key: string, isLocal: boolean): Sender {
  return { address, key, pending: new NonceList(), queue: new NonceList(), isLocal };
}
