import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { StateReader } from "../state/state.ts";
import type { PoolContent } from "./content/content.ts";
import type { Entry } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";

/** Policy for transactions whose fee is lent by the block proposer. */
export interface FeeLending {
  /** Called with each transaction before any rule is checked. @throws TransactionPoolError when it is not accepted now */
  meet(transaction: Transaction, content: PoolContent): void;
  /** Whether the fee of a transaction would be lent if it satisfied all rules: such transactions do not survive a restart. */
  isPart(transaction: Transaction): boolean;
  /** Called at each new head: hashes (0x hex) of transactions that have been in the pool for too long. */
  expired(): Iterable<string>;
  /** Whether a transaction was held back for lack of room since the last call: a new head may have made some. */
  consumeHeldBack(): boolean;
  /** Called at each new head, after the pool has followed it, with the places of the known transactions. */
  settle(whereIs: (hashKey: string) => "queued" | "pending" | undefined): void;
  /**
   * Whether the fee will be lent on a state, so that the sender's balance does not matter.
   * @throws TransactionPoolError when it would be if the transaction did not break a rule
   */
  covers(transaction: Transaction, from: Address, state: StateReader): boolean;
  /** Whether a queued transaction can become pending; always for one whose fee is not lent. */
  isReady(entry: Entry, sender: Sender, state: StateReader, content: PoolContent): boolean;
}
