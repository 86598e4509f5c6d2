import { type Address, isZeroBytes } from "../primitives/bytes.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The effective recipient; undefined if there is none, and if a Kaia type names the zero address. Such a transaction
 * still calls the zero address, yet its receipt names the contract that a creation would have made, and its input is
 * held to the size of init code. Measured on reference node v2.2.1.
 */
export function recipientOf({ type, to }: Pick<Transaction, "type" | "to">): Address | undefined {
  return to === undefined || type.ethereum || !isZeroBytes(to) ? to : undefined;
}
