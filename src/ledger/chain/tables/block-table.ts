import type { Block } from "../../../protocol/block/block.ts";
import { decodeBody, transactionInBody } from "../../../protocol/block/block-codec.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { decodeHeader } from "../../../protocol/block/header-codec.ts";
import { type PlacedReceipt, placedReceipts } from "../../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import {
  decodeStoredLogs,
  decodeStoredReceipts,
  type PlacedLog,
  readStoredLogs,
  readStoredReceipt,
} from "../../../protocol/block/receipt-codec.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { type CacheUsage, LruMap } from "../../../protocol/primitives/lru.ts";
import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { encodedTransactionHash, transactionHash } from "../../../protocol/transaction/hash.ts";
import { keepSender } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { numberKey, numberOfKey } from "../../database/table/number-key.ts";
import type { StateStore } from "../../state/state.ts";
import type { ExecutedBlock, NonceRange, TransactionPosition } from "../chain.ts";
import type { BlockReference } from "../chain-parts.ts";
import { ChainError } from "../errors.ts";
import type { BlockLogs } from "../logs/log-index.ts";
import {
  BODIES,
  HEADERS,
  NUMBERS,
  POSITIONS,
  positionOf,
  RECEIPTS,
  SENDER_HASHES,
  SENDER_SIZE,
  SENDERS,
  SENT,
  type SentPosition,
  type SentRow,
  sentKey,
  sentNonceOf,
  UNATTRIBUTED,
} from "./block-rows.ts";

/** Maximum number of decoded headers in the cache. */
const CACHED_HEADERS = 512;
/** Maximum number of decoded transactions, and of receipts, in the caches. */
const CACHED_TRANSACTIONS = 8_192;

interface StoredHeader {
  readonly header: Header;
  readonly hash: Hash;
}

/** The canonical blocks as rows of the database, behind caches of decoded ones. */
export class BlockTable {
  readonly #store: StateStore;
  readonly #onRead: ((transactions: readonly Transaction[]) => void) | undefined;
  readonly #headers = new LruMap<bigint, StoredHeader>(CACHED_HEADERS);
  readonly #bodies = new LruMap<bigint, readonly Transaction[]>(CACHED_TRANSACTIONS, weightOf);
  readonly #receipts = new LruMap<bigint, readonly Receipt[]>(CACHED_TRANSACTIONS, weightOf);

  /** @param onRead - called with transactions decoded from a row, before anyone else sees them */
  constructor(store: StateStore, onRead?: (transactions: readonly Transaction[]) => void) {
    this.#store = store;
    this.#onRead = onRead;
  }

  /** Hits and misses of the caches. */
  get usage(): Readonly<Record<"header" | "body" | "receipts", CacheUsage>> {
    return { header: this.#headers.use, body: this.#bodies.use, receipts: this.#receipts.use };
  }

  header(number: bigint): Header | undefined {
    return this.#header(number)?.header;
  }

  /** Hash of a block without decoding its header. */
  hash(number: bigint): Hash | undefined {
    const cached = this.#headers.get(number);
    if (cached !== undefined) return cached.hash;
    return this.#store.get(HEADERS, numberKey(number))?.slice(0, 32);
  }

  /** Header and hash of a block. @throws ChainError `GENESIS_MISSING` if it does not exist */
  reference(number: bigint): BlockReference {
    const stored = this.#header(number);
    if (stored !== undefined) return stored;
    throw new ChainError("GENESIS_MISSING", `block ${number} is not in the database`, { number });
  }

  number(hash: Hash): bigint | undefined {
    const row = this.#store.get(NUMBERS, hash);
    return row === undefined ? undefined : numberOfKey(row);
  }

  block(number: bigint): Block | undefined {
    const header = this.header(number);
    return header === undefined ? undefined : { header, transactions: this.#transactions(number) };
  }

  receipts(number: bigint): readonly Receipt[] | undefined {
    const cached = this.#receipts.get(number);
    if (cached !== undefined) return cached;
    if (this.#header(number) === undefined) return undefined;
    const row = this.#store.get(RECEIPTS, numberKey(number));
    const receipts = row === undefined ? [] : decodeStoredReceipts(row.slice());
    this.#receipts.set(number, receipts);
    return receipts;
  }

  /** Logs of a block, all or those with given indexes, without decoding the rest. */
  logs(number: bigint, indexes?: readonly number[]): readonly PlacedLog[] {
    const row = this.#store.get(RECEIPTS, numberKey(number));
    return row === undefined ? [] : readStoredLogs(row, indexes);
  }

  /**
   * Logs by receipt of the blocks after `number` that have transactions. To be finished before the next block is
   * committed.
   */
  *logsAfter(number: number): Generator<BlockLogs> {
    const from = numberKey(BigInt(number) + 1n);
    for (const [key, row] of this.#store.range(RECEIPTS, from, numberKey(MAX_UINT64))) {
      yield { number: Number(numberOfKey(key)), logs: decodeStoredLogs(row.slice()) };
    }
  }

  /** A transaction without decoding the others of its block. */
  transaction({ blockNumber, index }: TransactionPosition): Transaction | undefined {
    const cached = this.#bodies.get(blockNumber);
    if (cached !== undefined) return cached[index];
    const encoding = this.#encodedTransaction(blockNumber, index);
    if (encoding === undefined) return undefined;
    const transaction = decodeTransaction(encoding.slice());
    this.#attachSenders(blockNumber, [transaction], index);
    return transaction;
  }

  /** A receipt without decoding the others of its block. */
  receipt({ blockNumber, index }: TransactionPosition): PlacedReceipt | undefined {
    const cached = this.#receipts.get(blockNumber);
    if (cached !== undefined) return placedReceipts(cached)[index];
    const row = this.#store.get(RECEIPTS, numberKey(blockNumber));
    return row && readStoredReceipt(row.slice(), index);
  }

  /** Hash of a transaction without decoding it. */
  transactionHashAt({ blockNumber, index }: TransactionPosition): Hash | undefined {
    const cached = this.#bodies.get(blockNumber);
    if (cached !== undefined) return cached[index] && transactionHash(cached[index]);
    const encoding = this.#encodedTransaction(blockNumber, index);
    return encoding && encodedTransactionHash(encoding);
  }

  locate(transactionHash: Hash): TransactionPosition | undefined {
    const row = this.#store.get(POSITIONS, transactionHash);
    return row && positionOf(row);
  }

  /** Positions of an account's transactions, by nonce. */
  *sent(sender: Address, { from, to, newestFirst }: NonceRange): Generator<SentPosition> {
    if (to === from + 1n) {
      // A single key: a range would sort all unflushed rows.
      const row = this.#store.get(SENT, sentKey(sender, from));
      if (row !== undefined) yield { ...positionOf(row), nonce: from };
      return;
    }
    const rows = this.#store.range(SENT, sentKey(sender, from), sentKey(sender, to), newestFirst);
    for (const [key, row] of rows) yield { ...positionOf(row), nonce: sentNonceOf(key) };
  }

  /** Numbers of the blocks whose rows by sender are yet to be written, ascending. */
  unattributed(): bigint[] {
    const rows = this.#store.range(UNATTRIBUTED, numberKey(0n), numberKey(MAX_UINT64));
    return Array.from(rows, ([key]) => numberOfKey(key));
  }

  /** Whether the rows by sender of a block are yet to be written. */
  isUnattributed(number: bigint): boolean {
    return this.#store.get(UNATTRIBUTED, numberKey(number)) !== undefined;
  }

  /** Reads the row of a sender and nonce. */
  readonly sentRow: SentRow = (key) => this.#store.get(SENT, key);

  transactionHashBySender(senderHash: Hash): Hash | undefined {
    return this.#store.get(SENDER_HASHES, senderHash)?.slice();
  }

  executed(number: bigint): ExecutedBlock | undefined {
    const block = this.block(number);
    const hash = this.hash(number);
    const receipts = this.receipts(number);
    if (block === undefined || hash === undefined || receipts === undefined) return undefined;
    return { block, hash, receipts };
  }

  /** Caches a newly committed block in decoded form. */
  remember({ block, hash, receipts }: ExecutedBlock): void {
    const { number } = block.header;
    this.#headers.set(number, { header: block.header, hash });
    this.#bodies.set(number, block.transactions);
    this.#receipts.set(number, receipts);
  }

  /** Drops the blocks above `number` from the caches. */
  forgetAbove(number: bigint, head: bigint): void {
    for (let n = head; n > number; n--) {
      for (const cache of [this.#headers, this.#bodies, this.#receipts]) cache.delete(n);
    }
  }

  /** Empties the caches. */
  forgetAll(): void {
    for (const cache of [this.#headers, this.#bodies, this.#receipts]) cache.clear();
  }

  /** A view of the row, to be copied before the next block is committed. */
  #encodedTransaction(number: bigint, index: number): Uint8Array | undefined {
    const row = this.#store.get(BODIES, numberKey(number));
    return row && transactionInBody(row, index);
  }

  #header(number: bigint): StoredHeader | undefined {
    const cached = this.#headers.get(number);
    if (cached !== undefined) return cached;
    const row = this.#store.get(HEADERS, numberKey(number))?.slice();
    if (row === undefined) return undefined;
    const stored = { hash: row.subarray(0, 32), header: decodeHeader(row.subarray(32)) };
    this.#headers.set(number, stored);
    return stored;
  }

  #transactions(number: bigint): readonly Transaction[] {
    const cached = this.#bodies.get(number);
    if (cached !== undefined) return cached;
    const row = this.#store.get(BODIES, numberKey(number));
    const transactions = row === undefined ? [] : decodeBody(row.slice());
    this.#attachSenders(number, transactions);
    this.#bodies.set(number, transactions);
    return transactions;
  }

  /**
   * Attaches the recorded senders to transactions of a block, which saves recovering them.
   * @param first - index of the first transaction in the block
   */
  #attachSenders(number: bigint, transactions: readonly Transaction[], first = 0): void {
    const row = transactions.length > 0 && this.#store.get(SENDERS, numberKey(number));
    if (row) {
      const senders = row.slice(first * SENDER_SIZE, (first + transactions.length) * SENDER_SIZE);
      for (const [i, transaction] of transactions.entries())
        keepSender(transaction, senders.subarray(i * SENDER_SIZE, (i + 1) * SENDER_SIZE));
    }
    this.#onRead?.(transactions);
  }
}

function weightOf(items: readonly unknown[]): number {
  return 1 + items.length;
}
