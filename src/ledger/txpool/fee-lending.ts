import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateReader } from "../state/state.ts";
import type { PoolContent } from "./content.ts";
import type { Entry } from "./entry.ts";
import type { Sender } from "./sender.ts";

/** Decides about transactions whose fee the proposer of a block lends to their sender. */
export interface FeeLending {
  /**
   * Whether the fee will be lent on a state, so that the sender's balance does not matter.
   * @throws TransactionPoolError when it would be, but for a rule that the transaction breaks
   */
  covers(transaction: Transaction, from: Address, state: StateReader): boolean;
  /** Whether a queued transaction can become pending; always for one whose fee is not lent. */
  isReady(entry: Entry, sender: Sender, state: StateReader, content: PoolContent): boolean;
}
