import { type Address, isZeroBytes } from "../primitives/bytes.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The recipient that counts; undefined where there is none, and where a Kaia type names the zero address. Such a
 * transaction calls the zero address all the same, yet its receipt names the contract that a creation would have made,
 * and its input is held to the size of init code. Measured on reference node v2.2.1.
 */
export function recipientOf({ type, to }: Pick<Transaction, "type" | "to">): Address | undefined {
  return to === undefined || type.ethereum || !isZeroBytes(to) ? to : undefined;
}
