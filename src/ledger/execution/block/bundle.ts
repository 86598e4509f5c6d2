import { NodeError } from "../../../protocol/primitives/errors.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";

/** Transactions that are included consecutively and all succeed, or are not included at all. */
export interface Bundle {
  /** Transactions of the pool, in their order. */
  readonly transactions: readonly Transaction[];
  /** The preceding transaction, built for the state at its turn. */
  lead(state: StateJournal): Transaction;
}

/** A candidate for the next position of a block. */
export type TransactionOrBundle = Transaction | Bundle;

/** Whether a candidate is a bundle. */
export function isBundle(candidate: TransactionOrBundle): candidate is Bundle {
  return "lead" in candidate;
}

/** A bundle of which a part failed. The journal contains what ran before that part: the block must be restarted. */
export class BundleFailure extends NodeError<"BUNDLE_FAILED"> {
  override name = "BundleFailure";
  readonly bundle: Bundle;

  constructor(bundle: Bundle, text: string, cause?: unknown) {
    super("BUNDLE_FAILED", text, {}, { cause });
    this.bundle = bundle;
  }
}
