import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateReader } from "../state/state.ts";
import type { PoolContent } from "./content/content.ts";
import type { PoolEntry } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";

/** Policy for transactions whose fee is lent by the block proposer (gas abstraction). */
export interface FeeLending {
  /** Called with each transaction before any rule is checked. @throws TransactionPoolError if it cannot be accepted now */
  screen(transaction: Transaction, content: PoolContent): void;
  /** Whether a transaction has the form of one whose fee is lent; such transactions are not journaled. */
  isBundlePart(transaction: Transaction): boolean;
  /** Called at each new head. @returns hashes (0x hex) of transactions that have been in the pool for too long */
  expired(): Iterable<string>;
  /** Whether a transaction has been held back by a limit since the last call; a new head may let it pass. */
  consumeHeldBack(): boolean;
  /** Called at each new head, after the pool's own update. @param statusOf - where a transaction is now, if still in the pool */
  reconcile(statusOf: (hashKey: string) => "queued" | "pending" | undefined): void;
  /**
   * Whether the fee will be lent on this state, so that the sender's balance does not matter.
   * @throws TransactionPoolError if the transaction violates a rule of fee lending
   */
  covers(transaction: Transaction, from: Address, state: StateReader): boolean;
  /** Whether a queued transaction can be promoted; always true for one whose fee is not lent. */
  isReady(entry: PoolEntry, sender: Sender, state: StateReader, content: PoolContent): boolean;
}
