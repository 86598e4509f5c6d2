import { readHeader } from "../codec/rlp/item.ts";
import { encodeList } from "../codec/rlp/list.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import {
  decodeTransactions,
  decodeTransactionsInSteps,
  encodeTransaction,
  withoutSidecar,
} from "../transaction/envelope.ts";
import type { Transaction } from "../transaction/transaction.ts";
import type { Block } from "./block.ts";
import type { Header } from "./header.ts";
import { decodeHeader, encodeHeader } from "./header-codec.ts";

/** Transactions encoded per step. */
const ENCODED_PER_STEP = 64;

/** Largest block from osaka on, bytes of its RLP. @see EIP-7934 */
export const MAX_BLOCK_SIZE = 10_485_760;

/**
 * `rlp([header, [transaction…]])`; typed transactions are not wrapped,
 * their type as an item before the payload. Sidecars of blobs are left out.
 */
export function encodeBlock(block: Block): Uint8Array {
  return encodeList([encodeHeader(block.header), transactionList(block.transactions)]);
}

/** The transactions of a block as the database keeps them: `rlp([[transaction…]])`. */
export function encodeBody(transactions: readonly Transaction[]): Uint8Array {
  return encodeList([transactionList(transactions)]);
}

/** As `encodeBody`, in steps. */
export function* encodeBodyInSteps(transactions: readonly Transaction[]): Generator<void, Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const transaction of transactions) {
    if (parts.push(encodeTransaction(withoutSidecar(transaction))) % ENCODED_PER_STEP === 0) yield;
  }
  return encodeList([encodeList(parts)]);
}

/** Decodes a block that fills the input. @returns views of the input @throws RlpError, TransactionError */
export function decodeBlock(bytes: Uint8Array): Block {
  const { block, end } = readBlock(bytes, 0);
  new RlpReader(bytes, end).finish();
  return block;
}

/**
 * As `decodeBlock`, in steps.
 * @param checkHeader - called before the transactions are read; may throw
 */
export function* decodeBlockInSteps(
  bytes: Uint8Array,
  checkHeader: (header: Header) => void,
): Generator<void, Block> {
  const reader = new RlpReader(bytes);
  reader.enterList("types.extblock");
  const header = decodeHeader(reader.raw());
  checkHeader(header);
  const list = reader.raw();
  reader.leaveList();
  reader.finish();
  return { header, transactions: yield* decodeTransactionsInSteps(transactionsIn(list)) };
}

/**
 * Decodes the block at `offset`, as in an exported chain, where blocks follow one another.
 * @returns views of the input, and the offset behind the block
 * @throws RlpError, TransactionError
 */
export function readBlock(
  bytes: Uint8Array,
  offset: number,
): { readonly block: Block; readonly end: number } {
  const reader = new RlpReader(bytes, offset);
  reader.enterList("types.extblock");
  const header = decodeHeader(reader.raw());
  const transactions = readTransactions(reader.raw());
  reader.leaveList();
  return { block: { header, transactions }, end: reader.position };
}

/** Decodes the output of `encodeBody`. @returns views of the input @throws RlpError, TransactionError */
export function decodeBody(bytes: Uint8Array): Transaction[] {
  const reader = new RlpReader(bytes);
  reader.enterList("types.Body");
  const transactions = readTransactions(reader.raw());
  reader.leaveList();
  reader.finish();
  return transactions;
}

/**
 * One transaction in the output of `encodeBody`, skipping the others.
 * @returns its encoding, a view of the input; undefined when there are fewer
 * @throws RlpError
 */
export function transactionInBody(bytes: Uint8Array, index: number): Uint8Array | undefined {
  const reader = new RlpReader(bytes);
  reader.enterList("types.Body");
  reader.enterList("[]*types.Transaction");
  for (let i = 0; i < index && !reader.atEnd; i++) skipTransaction(reader);
  if (reader.atEnd) return undefined;
  const start = reader.position;
  skipTransaction(reader);
  return bytes.subarray(start, reader.position);
}

/** The type number precedes the list. */
function skipTransaction(reader: RlpReader): void {
  while (!reader.isList()) reader.skip();
  reader.skip();
}

function readTransactions(list: Uint8Array): Transaction[] {
  return decodeTransactions(transactionsIn(list));
}

/** The payload of a list of transactions. @throws RlpError */
function transactionsIn(list: Uint8Array): Uint8Array {
  new RlpReader(list).enterList("[]*types.Transaction");
  const { from, end } = readHeader(list, 0, list.length, true);
  return list.subarray(from, end);
}

function transactionList(transactions: readonly Transaction[]): Uint8Array {
  return encodeList(transactions.map((transaction) => encodeTransaction(withoutSidecar(transaction))));
}
