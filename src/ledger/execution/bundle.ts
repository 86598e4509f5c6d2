import { NodeError } from "../../protocol/primitives/errors.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateJournal } from "../state/journal/journal-types.ts";

/** Transactions that stand in a block one after the other and all succeed, or do not stand in it at all. */
export interface Bundle {
  /** Those of the pool, in their order. */
  readonly transactions: readonly Transaction[];
  /** The transaction ahead of them, made for the state in which its turn comes. */
  lead(state: StateJournal): Transaction;
}

/** What may come next in a block. */
export type Candidate = Transaction | Bundle;

/** Whether a candidate is a bundle. */
export function isBundle(candidate: Candidate): candidate is Bundle {
  return "lead" in candidate;
}

/** A bundle of which a part failed. The journal holds what ran before that part: the block has to be begun anew. */
export class BundleFailure extends NodeError<"BUNDLE_FAILED"> {
  override name = "BundleFailure";
  readonly bundle: Bundle;

  constructor(bundle: Bundle, text: string, cause?: unknown) {
    super("BUNDLE_FAILED", text, {}, { cause });
    this.bundle = bundle;
  }
}
