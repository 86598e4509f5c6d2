import type { Block } from "../../protocol/block/block.ts";
import { decodeBody, encodeBody, transactionInBody } from "../../protocol/block/block-codec.ts";
import type { Header } from "../../protocol/block/header.ts";
import { decodeHeader, encodeHeader } from "../../protocol/block/header-codec.ts";
import { type PlacedReceipt, placedReceipts } from "../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import {
  decodeStoredLogs,
  decodeStoredReceipts,
  encodeStoredReceipts,
  type PlacedLog,
  readStoredLogs,
  readStoredReceipt,
} from "../../protocol/block/receipt-codec.ts";
import { type Address, concat, EMPTY_BYTES, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { type CacheUse, LruMap } from "../../protocol/primitives/lru.ts";
import { decodeTransaction } from "../../protocol/transaction/decoding.ts";
import {
  encodedTransactionHash,
  senderTransactionHash,
  transactionHash,
} from "../../protocol/transaction/hash.ts";
import { keepSender, recoverSigners } from "../../protocol/transaction/signers.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { Row, StateStore } from "../state/state.ts";
import type { ExecutedBlock, NonceRange, TransactionPlace } from "./chain.ts";
import type { BlockReference } from "./chain-parts.ts";
import { ChainError } from "./errors.ts";
import { numberKey, numberOfKey } from "./keys.ts";
import type { BlockLogs } from "./logs/log-index.ts";

/** Number → hash ‖ RLP of the header. Keys of numbers are big-endian, 8 bytes. */
const HEADERS = "header";
/** Number → `rlp([[transaction…]])`; absent for a block without transactions. */
const BODIES = "body";
/** Number → the senders of its transactions, 20 bytes each; absent in databases of earlier builds. */
const SENDERS = "sender";
/** Number → receipts in storage form; absent for a block without transactions. */
const RECEIPTS = "receipts";
/** Block hash → number. */
const NUMBERS = "number";
/** Transaction hash → number ‖ index (4 bytes). */
const PLACES = "place";
/** Sender transaction hash → transaction hash, where the two differ. */
const SENDER_HASHES = "senderHash";
/**
 * Sender ‖ nonce (8 bytes) → number ‖ index: what an account has sent, in its order. Where a development chain has set the
 * nonce back, the earlier places follow the newest.
 */
const SENT = "sent";

/** Bytes of a place. */
const PLACE_SIZE = 12;
/** Bytes of a sender. */
const SENDER_SIZE = 20;

/** Behind all numbers of blocks. */
const LAST_NUMBER = 2n ** 64n - 1n;

/** Headers kept decoded. */
const CACHED_HEADERS = 512;
/** Transactions of the blocks that are kept decoded with their receipts. */
const CACHED_TRANSACTIONS = 8_192;

interface StoredHeader {
  readonly header: Header;
  readonly hash: Hash;
}

/** The canonical blocks as rows of the database, with the newest ones kept decoded. */
export class BlockTable {
  readonly #store: StateStore;
  readonly #onRead: ((transactions: readonly Transaction[]) => void) | undefined;
  readonly #headers = new LruMap<bigint, StoredHeader>(CACHED_HEADERS);
  readonly #bodies = new LruMap<bigint, readonly Transaction[]>(CACHED_TRANSACTIONS, weightOf);
  readonly #receipts = new LruMap<bigint, readonly Receipt[]>(CACHED_TRANSACTIONS, weightOf);

  /** @param onRead - told of transactions that were decoded from a row, before anybody sees them */
  constructor(store: StateStore, onRead?: (transactions: readonly Transaction[]) => void) {
    this.#store = store;
    this.#onRead = onRead;
  }

  /** How often the decoded form of something was at hand. */
  get use(): Readonly<Record<"header" | "body" | "receipts", CacheUse>> {
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

  /** Header and hash of a block. @throws ChainError `GENESIS_MISSING` when it is not there */
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

  /** Logs of a block, all or those at some places, without decoding the rest. */
  logs(number: bigint, places?: readonly number[]): readonly PlacedLog[] {
    const row = this.#store.get(RECEIPTS, numberKey(number));
    return row === undefined ? [] : readStoredLogs(row, places);
  }

  /**
   * Logs by receipt of the blocks behind `number` that have transactions. To be finished before the next block is
   * committed.
   */
  *logsAfter(number: number): Generator<BlockLogs> {
    const from = numberKey(BigInt(number) + 1n);
    for (const [key, row] of this.#store.range(RECEIPTS, from, numberKey(LAST_NUMBER))) {
      yield { number: Number(numberOfKey(key)), logs: decodeStoredLogs(row.slice()) };
    }
  }

  /** A transaction without decoding the others of its block. */
  transaction({ blockNumber, index }: TransactionPlace): Transaction | undefined {
    const cached = this.#bodies.get(blockNumber);
    if (cached !== undefined) return cached[index];
    const encoding = this.#encodedTransaction(blockNumber, index);
    if (encoding === undefined) return undefined;
    const transaction = decodeTransaction(encoding.slice());
    this.#tellSenders(blockNumber, [transaction], index);
    return transaction;
  }

  /** A receipt without decoding the others of its block. */
  receipt({ blockNumber, index }: TransactionPlace): PlacedReceipt | undefined {
    const cached = this.#receipts.get(blockNumber);
    if (cached !== undefined) return placedReceipts(cached)[index];
    const row = this.#store.get(RECEIPTS, numberKey(blockNumber));
    return row && readStoredReceipt(row.slice(), index);
  }

  /** Hash of a transaction without decoding it. */
  transactionHashAt({ blockNumber, index }: TransactionPlace): Hash | undefined {
    const cached = this.#bodies.get(blockNumber);
    if (cached !== undefined) return cached[index] && transactionHash(cached[index]);
    const encoding = this.#encodedTransaction(blockNumber, index);
    return encoding && encodedTransactionHash(encoding);
  }

  place(transactionHash: Hash): TransactionPlace | undefined {
    const row = this.#store.get(PLACES, transactionHash);
    return row && placeOf(row);
  }

  /** Places of what an account sent, by nonce. */
  *sent(sender: Address, { from, to, newestFirst }: NonceRange): Generator<TransactionPlace> {
    if (to === from + 1n) {
      // one key: a range would look through all rows that the engine does not have yet
      const row = this.#store.get(SENT, sentKey(sender, from));
      if (row !== undefined) yield placeOf(row);
      return;
    }
    const rows = this.#store.range(SENT, sentKey(sender, from), sentKey(sender, to), newestFirst);
    for (const [, row] of rows) yield placeOf(row);
  }

  /** Row of a sender and a nonce. */
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

  /** Keeps a block that is about to be written in decoded form. */
  remember({ block, hash, receipts }: ExecutedBlock): void {
    const { number } = block.header;
    this.#headers.set(number, { header: block.header, hash });
    this.#bodies.set(number, block.transactions);
    this.#receipts.set(number, receipts);
  }

  /** Forgets the decoded form of the blocks above `number`. */
  forgetAbove(number: bigint, head: bigint): void {
    for (let n = head; n > number; n--) {
      for (const cache of [this.#headers, this.#bodies, this.#receipts]) cache.delete(n);
    }
  }

  /** Forgets the decoded form of all blocks. */
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
    this.#tellSenders(number, transactions);
    this.#bodies.set(number, transactions);
    return transactions;
  }

  /** Spares readers the recovery of who sent some transactions of a block. @param first - place of the first one */
  #tellSenders(number: bigint, transactions: readonly Transaction[], first = 0): void {
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

/** Reads a row of what was sent; needed where nonces can be set back, so that one comes twice. */
export type SentRow = (key: Uint8Array) => Uint8Array | undefined;

/** The rows of a block that joins the canonical chain. @param chainId - for which its senders signed */
export function blockRows(executed: ExecutedBlock, chainId: bigint, sentRow?: SentRow): Row[] {
  const { block, hash, receipts } = executed;
  const { header, transactions } = block;
  const key = numberKey(header.number);
  const rows: Row[] = [
    { table: HEADERS, key, value: concat(hash, encodeHeader(header)) },
    { table: NUMBERS, key: hash, value: key },
  ];
  if (transactions.length === 0) return rows;
  rows.push({ table: BODIES, key, value: encodeBody(transactions) });
  rows.push({ table: SENDERS, key, value: sendersOf(transactions, chainId) });
  rows.push({ table: RECEIPTS, key, value: encodeStoredReceipts(receipts) });
  for (const [index, transaction] of transactions.entries()) {
    rows.push(...transactionRows(transaction, placeValue(header.number, index), chainId));
  }
  return sentRow === undefined ? rows : rows.map((row) => stacked(row, sentRow));
}

function sendersOf(transactions: readonly Transaction[], chainId: bigint): Uint8Array {
  const senders = new Uint8Array(transactions.length * SENDER_SIZE);
  for (const [index, transaction] of transactions.entries())
    senders.set(recoverSigners(transaction, chainId).sender, index * SENDER_SIZE);
  return senders;
}

/** Puts a place before those that the sender's nonce had earlier. */
function stacked(row: Row, sentRow: SentRow): Row {
  const earlier = row.table === SENT && row.value ? sentRow(row.key) : undefined;
  return earlier === undefined ? row : { ...row, value: concat(row.value as Uint8Array, earlier) };
}

/** The rows that take blocks out of the canonical chain. @param removed - newest first */
export function removalRows(removed: readonly ExecutedBlock[], chainId: bigint, sentRow?: SentRow): Row[] {
  const left = new Map<string, Uint8Array>();
  const valueAfter = ({ table, key }: Row): Uint8Array | null => {
    if (table !== SENT || sentRow === undefined) return null;
    const name = bytesToHex(key);
    const earlier = (left.get(name) ?? sentRow(key) ?? EMPTY_BYTES).subarray(PLACE_SIZE);
    left.set(name, earlier);
    return earlier.length === 0 ? null : earlier;
  };
  return removed
    .flatMap((executed) => blockRows(executed, chainId))
    .map((row) => ({ table: row.table, key: row.key, value: valueAfter(row) }));
}

function transactionRows(transaction: Transaction, place: Uint8Array, chainId: bigint): Row[] {
  const hash = transactionHash(transaction);
  const { sender } = recoverSigners(transaction, chainId);
  const rows: Row[] = [
    { table: PLACES, key: hash, value: place },
    { table: SENT, key: sentKey(sender, transaction.nonce), value: place },
  ];
  if (transaction.type.feeMode !== "sender") {
    rows.push({ table: SENDER_HASHES, key: senderTransactionHash(transaction), value: hash });
  }
  return rows;
}

function placeValue(number: bigint, index: number): Uint8Array {
  const value = new Uint8Array(PLACE_SIZE);
  const view = new DataView(value.buffer);
  view.setBigUint64(0, number);
  view.setUint32(8, index);
  return value;
}

function placeOf(row: Uint8Array): TransactionPlace {
  const index = new DataView(row.buffer, row.byteOffset).getUint32(8);
  return { blockNumber: numberOfKey(row), index };
}

function sentKey(sender: Address, nonce: bigint): Uint8Array {
  const key = new Uint8Array(28);
  key.set(sender);
  new DataView(key.buffer).setBigUint64(20, nonce);
  return key;
}
