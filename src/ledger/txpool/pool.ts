import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/** Origin of a transaction: submitted to this node, or sent by a peer. */
export interface TransactionOrigin {
  readonly local: boolean;
}

/** Transactions of the pool by sender (lower-case 0x hex), ascending by nonce. */
export interface PoolContents {
  readonly pending: Map<string, readonly Transaction[]>;
  readonly queued: Map<string, readonly Transaction[]>;
}

/** Transactions waiting to be included in a block. */
export interface TransactionPool {
  /**
   * Validates and adds a transaction. If there is a journal, a local transaction survives the process from then on.
   * @returns the transaction hash
   * @throws TransactionPoolError with the reference's text; `NOT_KEPT` if the journal cannot be written
   */
  add(transaction: Transaction, origin: TransactionOrigin): Promise<Hash>;
  /**
   * Recovers the signers of transactions about to be added one by one, in a single batch, unless the pool is full. Never
   * reports errors: adding the transactions will.
   */
  recoverAhead(transactions: readonly Transaction[]): Promise<void>;
  /** Adds several transactions in order. @returns for each its hash, or the reason for its refusal */
  addAll(transactions: readonly Transaction[], origin: TransactionOrigin): Promise<(Hash | Error)[]>;
  get(hash: Hash): Transaction | undefined;
  /** Whether a transaction in the pool is executable; undefined if it is not in the pool. */
  isPending(hash: Hash): boolean | undefined;
  /** Sender of a transaction in the pool. @throws TransactionPoolError if it is not in the pool */
  senderOf(transaction: Transaction): Address;
  /** Highest pending nonce + 1, else the state nonce. */
  nonce(address: Address): bigint;
  /** By sender (lower-case 0x hex), ascending nonce. */
  content(): PoolContents;
  /** The transactions of one sender, ascending by nonce. */
  contentOf(address: Address): {
    readonly pending: readonly Transaction[];
    readonly queued: readonly Transaction[];
  };
  status(): { readonly pending: number; readonly queued: number };
  /** Changes whenever the pool's contents do. */
  readonly version: number;
  /**
   * Executable transactions in block order: highest effective tip first, then by arrival; per sender by nonce. To be iterated
   * without interruption: the pool must not change meanwhile.
   * @param lowestPrice - minimum price in kei per gas; default: the base fee
   */
  executable(baseFee: bigint, lowestPrice?: bigint): Iterable<Transaction>;
  /** Removes transactions that block building has rejected; later ones of their senders return to the queue. */
  remove(transactions: Iterable<Transaction>): void;
  /** Resolves when removed transactions are no longer in the journal, to return on restart; undefined if already so. */
  journalSettled(): Promise<void> | undefined;
  /** Subscribes to transactions becoming pending. @returns a function that unsubscribes */
  onPending(listener: (transactions: readonly Transaction[]) => void): () => void;
}
