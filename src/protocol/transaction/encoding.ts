import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { concat } from "../primitives/bytes.ts";
import { sidecarItems } from "./blob.ts";
import { signatureWire } from "./signatures/signature.ts";
import type { Signature, Transaction } from "./transaction.ts";
import type { TransactionType } from "./types.ts";
import { cacheOf, type Layout, TransactionValue } from "./value.ts";

/**
 * The encoding of a transaction as sent and, unwrapped, in blocks. A blob transaction with a sidecar
 * is in network form; `withoutSidecar` gives the form of blocks. Computed once per object.
 */
export function encodeTransaction(tx: Transaction): Uint8Array {
  const cache = cacheOf(tx);
  if (cache.raw === undefined) cache.raw = concat(tx.type.prefix, encodeItem(payload(tx)));
  return cache.raw;
}

/** The same transaction without the sidecar of its blobs; itself when it has none. */
export function withoutSidecar(tx: Transaction): Transaction {
  return tx.sidecar === undefined ? tx : new TransactionValue({ ...tx, sidecar: undefined });
}

/** Bytes of the longest encoded transaction, without blob sidecar, that pools accept and peers send each other: four slots of a pool. */
export const MAX_TRANSACTION_SIZE = 4 * 32_768;

/** Size counted by the limits of pool and network: the encoding without the type prefix. */
export function transactionSize(tx: Transaction): number {
  return encodeTransaction(tx).length - tx.type.prefix.length;
}

function payload(tx: Transaction): readonly Item[] {
  const items = [...signedItems(tx), ...signatureItems(tx)];
  return tx.sidecar === undefined ? items : [items, ...sidecarItems(tx.sidecar)];
}

/** The items of the fields that the sender signs. */
export function signedItems(tx: Transaction): readonly Item[] {
  return tx.type.fields.map((field) => field.wire.item(tx[field.property]));
}

function signatureItems(tx: Transaction): readonly Item[] {
  const sender = senderSignatureItems(tx.type, tx.signatures);
  if (tx.type.feeMode === "sender") return sender;
  const feePayer = tx.feePayer ?? new Uint8Array(20);
  return [...sender, feePayer, (tx.feePayerSignatures ?? []).map(signatureWire.item)];
}

const UNSIGNED: Signature = { v: 0n, r: 0n, s: 0n };

/** Ethereum types carry v, r and s as fields, Kaia types a list of signatures. */
function senderSignatureItems(type: TransactionType, signatures: readonly Signature[]): readonly Item[] {
  if (type.ethereum) return signatureWire.item(signatures[0] ?? UNSIGNED) as readonly Item[];
  return [signatures.map(signatureWire.item)];
}

/**
 * Locates the parts of a transaction's encoding. Hashes are computed from slices of it, so that received transactions are not
 * encoded again.
 */
export function layoutOf(tx: Transaction): Layout {
  const cache = cacheOf(tx);
  if (cache.layout === undefined) cache.layout = findLayout(tx.type, encodeTransaction(withoutSidecar(tx)));
  return cache.layout;
}

function findLayout(type: TransactionType, raw: Uint8Array): Layout {
  const reader = new RlpReader(raw, type.prefix.length);
  reader.enterList(type.name);
  const start = reader.position;
  for (let i = type.fields.length; i > 0; i--) reader.raw();
  const signedEnd = reader.position;
  for (let i = type.ethereum ? 3 : 1; i > 0; i--) reader.raw();
  return { raw, start, signedEnd, senderEnd: reader.position };
}
