import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/** Transactions that wait for a block. */
export interface TransactionPool {
  /**
   * Validates and adds. @returns the transaction hash
   * @throws TransactionPoolError with the reference's text
   */
  add(transaction: Transaction, origin: { local: boolean }): Promise<Hash>;
  get(hash: Hash): Transaction | undefined;
  /** Sender of a transaction that is in the pool. */
  senderOf(transaction: Transaction): Address;
  /** Highest pending nonce + 1, else the state nonce. */
  nonce(address: Address): bigint;
  /** By sender (lower-case 0x hex), ascending nonce. */
  content(): { pending: Map<string, readonly Transaction[]>; queued: Map<string, readonly Transaction[]> };
  status(): { pending: number; queued: number };
  /** Executable transactions in block order: effective tip, then arrival; per sender by nonce. */
  executable(baseFee: bigint): Iterable<Transaction>;
  /** A transaction became pending. Returns the unsubscribe function. */
  onPending(listener: (transactions: readonly Transaction[]) => void): () => void;
}
