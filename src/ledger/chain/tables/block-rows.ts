import { encodeBody } from "../../../protocol/block/block-codec.ts";
import { encodeHeader } from "../../../protocol/block/header-codec.ts";
import { encodeStoredReceipts } from "../../../protocol/block/receipt-codec.ts";
import { type Address, concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { senderTransactionHash, transactionHash } from "../../../protocol/transaction/hash.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Row } from "../../state/state.ts";
import type { ExecutedBlock, TransactionPlace } from "../chain.ts";
import { numberKey, numberOfKey } from "./keys.ts";

/** Number → hash ‖ RLP of the header. Keys of numbers are big-endian, 8 bytes. */
export const HEADERS = "header";
/** Number → `rlp([[transaction…]])`; absent for a block without transactions. */
export const BODIES = "body";
/** Number → the senders of its transactions, 20 bytes each; absent in databases of earlier builds. */
export const SENDERS = "sender";
/** Number → receipts in storage form; absent for a block without transactions. */
export const RECEIPTS = "receipts";
/** Block hash → number. */
export const NUMBERS = "number";
/** Transaction hash → number ‖ index (4 bytes). */
export const PLACES = "place";
/** Sender transaction hash → transaction hash, where the two differ. */
export const SENDER_HASHES = "senderHash";
/**
 * Sender ‖ nonce (8 bytes) → number ‖ index: the transactions of an account, by nonce. Where a development chain has
 * set the nonce back, earlier positions follow the newest.
 */
export const SENT = "sent";

/** Bytes of a place. */
const PLACE_SIZE = 12;
/** Bytes of a sender. */
export const SENDER_SIZE = 20;

/** Reads a row of a sender and nonce; needed where nonces can be set back and so occur twice. */
export type SentRow = (key: Uint8Array) => Uint8Array | undefined;

/** Transactions whose rows are made in one step. */
const TRANSACTIONS_A_STEP = 256;

/** The rows of a block that joins the canonical chain, made in steps. @param chainId - for which its senders signed */
export function* blockRows(
  executed: ExecutedBlock,
  chainId: bigint,
  sentRow?: SentRow,
): Generator<void, Row[]> {
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
    const ofOne = transactionRows(transaction, placeValue(header.number, index), chainId);
    for (const row of ofOne) rows.push(sentRow === undefined ? row : stacked(row, sentRow));
    if (index % TRANSACTIONS_A_STEP === TRANSACTIONS_A_STEP - 1) yield;
  }
  return rows;
}

function sendersOf(transactions: readonly Transaction[], chainId: bigint): Uint8Array {
  const senders = new Uint8Array(transactions.length * SENDER_SIZE);
  for (const [index, transaction] of transactions.entries())
    senders.set(senderOf(transaction, chainId), index * SENDER_SIZE);
  return senders;
}

/** Prepends a position to the earlier ones of the same nonce. */
function stacked(row: Row, sentRow: SentRow): Row {
  const earlier = row.table === SENT && row.value ? sentRow(row.key) : undefined;
  return earlier === undefined ? row : { ...row, value: concat(row.value as Uint8Array, earlier) };
}

/** The row changes that remove blocks from the canonical chain, made in steps. @param removed - newest first */
export function* removalRows(
  removed: readonly ExecutedBlock[],
  chainId: bigint,
  sentRow?: SentRow,
): Generator<void, Row[]> {
  const left = new Map<string, Uint8Array>();
  const valueAfter = ({ table, key }: Row): Uint8Array | null => {
    if (table !== SENT || sentRow === undefined) return null;
    const name = bytesToHex(key);
    const earlier = (left.get(name) ?? sentRow(key) ?? EMPTY_BYTES).subarray(PLACE_SIZE);
    left.set(name, earlier);
    return earlier.length === 0 ? null : earlier;
  };
  const rows: Row[] = [];
  for (const executed of removed) {
    for (const row of yield* blockRows(executed, chainId))
      rows.push({ table: row.table, key: row.key, value: valueAfter(row) });
    yield;
  }
  return rows;
}

function transactionRows(transaction: Transaction, place: Uint8Array, chainId: bigint): Row[] {
  const hash = transactionHash(transaction);
  const sender = senderOf(transaction, chainId);
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

/** The position in a row. */
export function placeOf(row: Uint8Array): TransactionPlace {
  const index = new DataView(row.buffer, row.byteOffset).getUint32(8);
  return { blockNumber: numberOfKey(row), index };
}

/** Key of the transaction of a sender and nonce. */
export function sentKey(sender: Address, nonce: bigint): Uint8Array {
  const key = new Uint8Array(28);
  key.set(sender);
  new DataView(key.buffer).setBigUint64(20, nonce);
  return key;
}
