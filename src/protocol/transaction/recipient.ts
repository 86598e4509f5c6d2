import { type Address, isZeroBytes } from "../primitives/bytes.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The effective recipient; undefined if there is none, and if a Kaia type names the zero address. Such a transaction
 * still calls the zero address, yet its receipt has the contract address of a creation, and its input is
 * limited to the size of init code. Measured on reference node v2.2.1.
 */
export function recipientOf({ type, to }: Pick<Transaction, "type" | "to">): Address | undefined {
  return to === undefined || type.ethereum || !isZeroBytes(to) ? to : undefined;
}
