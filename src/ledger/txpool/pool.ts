import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/** Origin of a transaction: local ones were submitted to this node, the others sent by peers. */
export interface TransactionOrigin {
  readonly local: boolean;
}

/** Transactions of the pool by sender (lower-case 0x hex), ascending by nonce. */
export interface PoolContents {
  readonly pending: Map<string, readonly Transaction[]>;
  readonly queued: Map<string, readonly Transaction[]>;
}

/** Transactions waiting for a block. */
export interface TransactionPool {
  /**
   * Validates and adds. A local transaction survives the process from then on, if there is a journal.
   * @returns the transaction hash
   * @throws TransactionPoolError with the reference's text; `NOT_KEPT` when the journal cannot be written
   */
  add(transaction: Transaction, origin: TransactionOrigin): Promise<Hash>;
  /**
   * Recovers the signers of transactions that are about to be added one by one, together, unless they would be refused unseen.
   * Adding them says what is wrong with them.
   */
  foresee(transactions: readonly Transaction[]): Promise<void>;
  /** Adds several in order. @returns for each its hash, or why it was refused */
  addAll(transactions: readonly Transaction[], origin: TransactionOrigin): Promise<(Hash | Error)[]>;
  get(hash: Hash): Transaction | undefined;
  /** Whether a transaction of the pool is executable; undefined when it is not in the pool. */
  isPending(hash: Hash): boolean | undefined;
  /** Sender of a transaction that is in the pool. @throws TransactionPoolError when it is not */
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
  /** Changes with every change of the pool's content. */
  readonly version: number;
  /**
   * Executable transactions in block order: effective tip, then arrival; per sender by nonce. Read it in one go: the
   * pool must not change meanwhile.
   * @param lowestPrice - leaves out transactions that offer less, in kei per gas; default: the base fee
   */
  executable(baseFee: bigint, lowestPrice?: bigint): Iterable<Transaction>;
  /** Removes transactions that block building found impossible; later ones of their senders return to the queue. */
  remove(transactions: Iterable<Transaction>): void;
  /** Resolves when removed transactions can no longer return with the next start; undefined if that already holds. */
  forgotten(): Promise<void> | undefined;
  /** A transaction became pending. Returns the unsubscribe function. */
  onPending(listener: (transactions: readonly Transaction[]) => void): () => void;
}
