import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";

/** Transactions that are included consecutively and all succeed, or are not included at all. */
export interface Bundle {
  /** Transactions from the pool, in order. */
  readonly transactions: readonly Transaction[];
  /** Builds the transaction that precedes them, for the state at that point of the block. */
  lead(state: StateJournal): Transaction;
}

/** A candidate for the next position of a block. */
export type TransactionOrBundle = Transaction | Bundle;

/** Whether a candidate is a bundle. */
export function isBundle(candidate: TransactionOrBundle): candidate is Bundle {
  return "lead" in candidate;
}

/** A bundle that was left out because one of its transactions failed. */
export interface FailedBundle {
  readonly bundle: Bundle;
  /** The error of that transaction. */
  readonly reason: string;
}
