import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateReader } from "../state/state.ts";
import type { PoolContent } from "./content/content.ts";
import type { Entry } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";

/** Policy for transactions whose fee is lent by the block proposer. */
export interface FeeLending {
  /** Told of each transaction before any rule is asked. @throws TransactionPoolError when it must not come now */
  meet(transaction: Transaction): void;
  /** Whether the fee of a transaction would be lent if it kept all rules: none of those is kept over a restart. */
  isPart(transaction: Transaction): boolean;
  /** Asked at each new head: hashes (0x hex) of those that have been in the pool for too long. */
  expired(): Iterable<string>;
  /** Whether a transaction was held back for want of room since this was last asked: a new head may have made some. */
  consumeHeldBack(): boolean;
  /** Told at each new head, after the pool has followed it, where those are that it has met. */
  settle(whereIs: (hashKey: string) => "queued" | "pending" | undefined): void;
  /**
   * Whether the fee will be lent on a state, so that the sender's balance does not matter.
   * @throws TransactionPoolError when it would be, but for a rule that the transaction breaks
   */
  covers(transaction: Transaction, from: Address, state: StateReader): boolean;
  /** Whether a queued transaction can become pending; always for one whose fee is not lent. */
  isReady(entry: Entry, sender: Sender, state: StateReader, content: PoolContent): boolean;
}
