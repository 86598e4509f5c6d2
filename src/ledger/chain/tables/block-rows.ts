import type { Block } from "../../../protocol/block/block.ts";
import { encodeBodyInSteps } from "../../../protocol/block/block-codec.ts";
import { encodeHeader } from "../../../protocol/block/header-codec.ts";
import { encodeStoredReceiptsInSteps } from "../../../protocol/block/receipt-codec.ts";
import { type Address, concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { senderTransactionHash, transactionHash } from "../../../protocol/transaction/hash.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { numberKey, numberOfKey, putNumber } from "../../database/table/number-key.ts";
import type { Row } from "../../state/state.ts";
import type { ExecutedBlock, TransactionPosition } from "../chain.ts";

/** Number → hash ‖ RLP of the header. Keys of numbers are big-endian, 8 bytes. */
export const HEADERS = "header";
/** Number → `rlp([[transaction…]])`; absent for a block without transactions. */
export const BODIES = "body";
/** Number → the senders of its transactions, 20 bytes each; absent in databases of earlier builds. */
export const SENDERS = "sender";
/** Number → empty, for a block whose rows in `SENDERS` and `SENT` are yet to be written. */
export const UNATTRIBUTED = "unattributed";
/** Number → receipts in storage form; absent for a block without transactions. */
export const RECEIPTS = "receipts";
/** Block hash → number. */
export const NUMBERS = "number";
/** Transaction hash → number ‖ index (4 bytes). */
export const POSITIONS = "place";
/** Sender transaction hash → transaction hash, if the two differ. */
export const SENDER_HASHES = "senderHash";
/**
 * Sender ‖ nonce (8 bytes) → number ‖ index: the transactions of an account, by nonce. If a development chain has lowered
 * the nonce, earlier positions follow the newest.
 */
export const SENT = "sent";

/** Bytes of a position. */
const POSITION_SIZE = 12;
/** Bytes of a sender. */
export const SENDER_SIZE = 20;

/** Position of an account's transaction with a nonce. */
export interface SentPosition extends TransactionPosition {
  readonly nonce: bigint;
}

/** Reads the row of a sender and nonce; needed if nonces can be lowered and so occur twice. */
export type SentRow = (key: Uint8Array) => Uint8Array | undefined;

/** Transactions processed per step. */
const TRANSACTIONS_PER_STEP = 64;

/** The rows of a block that joins the canonical chain, except those by sender, built in steps. */
export function* blockRows({ block, hash, receipts }: ExecutedBlock): Generator<void, Row[]> {
  const { header, transactions } = block;
  const key = numberKey(header.number);
  const rows: Row[] = [
    { table: HEADERS, key, value: concat(hash, encodeHeader(header)) },
    { table: NUMBERS, key: hash, value: key },
  ];
  if (transactions.length === 0) return rows;
  rows.push({ table: BODIES, key, value: yield* encodeBodyInSteps(transactions) });
  rows.push({ table: RECEIPTS, key, value: yield* encodeStoredReceiptsInSteps(receipts) });
  for (let index = 0; index < transactions.length; index++) {
    const transaction = transactions[index] as Transaction;
    const own = transactionHash(transaction);
    rows.push({ table: POSITIONS, key: own, value: positionValue(header.number, index) });
    if (transaction.type.feeMode !== "sender")
      rows.push({ table: SENDER_HASHES, key: senderTransactionHash(transaction), value: own });
    if (index % TRANSACTIONS_PER_STEP === TRANSACTIONS_PER_STEP - 1) yield;
  }
  return rows;
}

/**
 * The rows of a block that record the senders of its transactions, built in steps.
 * @param chainId - chain id covered by the signatures
 * @throws TransactionError for an invalid signature
 */
export function* senderRows(
  { header, transactions }: Block,
  chainId: bigint,
  sentRow?: SentRow,
): Generator<void, Row[]> {
  if (transactions.length === 0) return [];
  const senders = new Uint8Array(transactions.length * SENDER_SIZE);
  const rows: Row[] = [{ table: SENDERS, key: numberKey(header.number), value: senders }];
  for (let index = 0; index < transactions.length; index++) {
    const transaction = transactions[index] as Transaction;
    const sender = senderOf(transaction, chainId);
    senders.set(sender, index * SENDER_SIZE);
    const key = sentKey(sender, transaction.nonce);
    const row = { table: SENT, key, value: positionValue(header.number, index) };
    rows.push(sentRow === undefined ? row : stacked(row, sentRow));
    if (index % TRANSACTIONS_PER_STEP === TRANSACTIONS_PER_STEP - 1) yield;
  }
  return rows;
}

/** The row that marks a block whose rows by sender are yet to be written; null removes it. */
export function unattributedRow(number: bigint, value: Uint8Array | null = EMPTY_BYTES): Row {
  return { table: UNATTRIBUTED, key: numberKey(number), value };
}

/** Prepends a position to the earlier ones of the same nonce. */
function stacked(row: Row & { readonly value: Uint8Array }, sentRow: SentRow): Row {
  const earlier = sentRow(row.key);
  return earlier === undefined ? row : { ...row, value: concat(row.value, earlier) };
}

/**
 * The row changes that remove blocks from the canonical chain, built in steps.
 * @param removed - newest first
 * @param isUnattributed - whether a block has no rows by sender yet
 */
export function* removalRows(
  removed: readonly ExecutedBlock[],
  chainId: bigint,
  isUnattributed: (number: bigint) => boolean,
  sentRow?: SentRow,
): Generator<void, Row[]> {
  const left = new Map<string, Uint8Array>();
  const valueAfter = ({ table, key }: Row): Uint8Array | null => {
    if (table !== SENT || sentRow === undefined) return null;
    const name = bytesToHex(key);
    const earlier = (left.get(name) ?? sentRow(key) ?? EMPTY_BYTES).subarray(POSITION_SIZE);
    left.set(name, earlier);
    return earlier.length === 0 ? null : earlier;
  };
  const rows: Row[] = [];
  for (const executed of removed) {
    const { number } = executed.block.header;
    for (const { table, key } of yield* blockRows(executed)) rows.push({ table, key, value: null });
    if (isUnattributed(number)) rows.push(unattributedRow(number, null));
    else
      for (const row of yield* senderRows(executed.block, chainId))
        rows.push({ table: row.table, key: row.key, value: valueAfter(row) });
    yield;
  }
  return rows;
}

function positionValue(number: bigint, index: number): Uint8Array {
  const value = new Uint8Array(POSITION_SIZE);
  putNumber(value, 0, number);
  for (let at = POSITION_SIZE - 1, rest = index; rest > 0; at--, rest >>>= 8) value[at] = rest;
  return value;
}

/** The position in a row. */
export function positionOf(row: Uint8Array): TransactionPosition {
  const index = new DataView(row.buffer, row.byteOffset).getUint32(8);
  return { blockNumber: numberOfKey(row), index };
}

/** The nonce in a key of the transaction of a sender and nonce. */
export function sentNonceOf(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset).getBigUint64(20);
}

/** Key of the transaction of a sender and nonce. */
export function sentKey(sender: Address, nonce: bigint): Uint8Array {
  const key = new Uint8Array(28);
  key.set(sender);
  putNumber(key, 20, nonce);
  return key;
}
