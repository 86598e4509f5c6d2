import { encodeItem } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { allocateBytes, bigintToBytes, concat, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";
import { bytesToHex, type Hex } from "../primitives/hex.ts";
import { encodeTransaction, layoutOf, signedItems, withoutSidecar } from "./encoding.ts";
import { TransactionError } from "./errors.ts";
import { isUnprotected } from "./signatures/signature.ts";
import type { Transaction } from "./transaction.ts";
import { ETHEREUM_ENVELOPE } from "./type-table.ts";
import { isEnveloped } from "./types.ts";
import { cacheOf } from "./value.ts";

/** The transaction hash: over the encoding without sidecar and without the byte 0x78. */
export function transactionHash(tx: Transaction): Hash {
  const cache = cacheOf(tx);
  if (cache.hash === undefined) {
    cache.hash = encodedTransactionHash(encodeTransaction(withoutSidecar(tx)));
  }
  return cache.hash;
}

/** The hash of an encoding without sidecar. */
export function encodedTransactionHash(raw: Uint8Array): Hash {
  return keccak256(raw[0] === ETHEREUM_ENVELOPE ? raw.subarray(1) : raw);
}

/** The hash in lower-case 0x hex, cached with the transaction: the key of maps and sets of transactions. */
export function transactionKey(tx: Transaction): Hex {
  const cache = cacheOf(tx);
  cache.key ??= bytesToHex(transactionHash(tx));
  return cache.key;
}

/** Sender transaction hash: without the fee payer's fields; equals the transaction hash if there is no separate fee payer. */
export function senderTransactionHash(tx: Transaction): Hash {
  if (tx.type.feeMode === "sender") return transactionHash(tx);
  const cache = cacheOf(tx);
  if (cache.senderHash === undefined) {
    const { raw, start, senderEnd } = layoutOf(tx);
    cache.senderHash = keccak256(rlpList(tx.type.prefix, raw.subarray(start, senderEnd), EMPTY_BYTES));
  }
  return cache.senderHash;
}

/**
 * Hash that the sender signs. A legacy transaction that carries an unprotected signature is hashed without the chain;
 * an Ethereum typed one with its own chain id, or with `chainId` when its own is 0.
 */
export function signingHash(tx: Transaction, chainId: bigint): Hash {
  return keccak256(signingPayload(tx, chainId));
}

/** Hash that the fee payer signs. @throws TransactionError `TX_NOT_FEE_DELEGATED` */
export function feePayerSigningHash(tx: Transaction, chainId: bigint): Hash {
  return keccak256(feePayerSigningPayload(tx, chainId));
}

/** The bytes whose hash the sender signs. */
export function signingPayload(tx: Transaction, chainId: bigint): Uint8Array {
  const { type } = tx;
  if (!type.ethereum) return kaiaPayload(tx, chainTail(chainId));
  if (isEnveloped(type) && tx.chainId === 0n) {
    return concat(type.prefix.subarray(1), encodeItem(signedItems({ ...tx, chainId })));
  }
  const { raw, start, signedEnd } = layoutOf(tx);
  const tail = isEnveloped(type) || isUnprotected(tx) ? EMPTY_BYTES : chainTail(chainId);
  return rlpList(type.prefix.subarray(1), raw.subarray(start, signedEnd), tail);
}

/** The bytes whose hash the fee payer signs. @throws TransactionError `TX_NOT_FEE_DELEGATED` */
export function feePayerSigningPayload(tx: Transaction, chainId: bigint): Uint8Array {
  if (tx.feePayer === undefined || tx.type.feeMode === "sender") {
    throw new TransactionError("TX_NOT_FEE_DELEGATED", "not a fee delegation type transaction");
  }
  return kaiaPayload(tx, concat(encodeItem(tx.feePayer), chainTail(chainId)));
}

/** `[bytes([type, fields…]), …tail]`: what sender and fee payer of a Kaia type sign. Written in one pass. */
function kaiaPayload(tx: Transaction, tail: Uint8Array): Uint8Array {
  const { raw, start, signedEnd } = layoutOf(tx);
  const inner = 1 + signedEnd - start;
  const text = headerLength(inner) + inner;
  const outer = headerLength(text) + text + tail.length;
  const out = allocateBytes(headerLength(outer) + outer);
  let at = writeHeader(out, 0, 0xc0, outer);
  at = writeHeader(out, at, 0x80, text);
  at = writeHeader(out, at, 0xc0, inner);
  out[at] = tx.type.code;
  out.set(raw.subarray(start, signedEnd), at + 1);
  out.set(tail, out.length - tail.length);
  return out;
}

/** A list of encoded items, after a prefix. */
function rlpList(prefix: Uint8Array, items: Uint8Array, tail: Uint8Array): Uint8Array {
  const length = items.length + tail.length;
  const out = allocateBytes(prefix.length + headerLength(length) + length);
  out.set(prefix);
  out.set(items, writeHeader(out, prefix.length, 0xc0, length));
  out.set(tail, out.length - tail.length);
  return out;
}

/** Length of the header of a string or list of `length` bytes (no single byte below 0x80). */
function headerLength(length: number): number {
  return length < 56 ? 1 : 1 + bytesOfLength(length);
}

/** Writes such a header. @returns the offset behind it */
function writeHeader(out: Uint8Array, at: number, base: 0x80 | 0xc0, length: number): number {
  if (length < 56) {
    out[at] = base + length;
    return at + 1;
  }
  const size = bytesOfLength(length);
  out[at] = base + 55 + size;
  for (let i = size, rest = length; i > 0; i--, rest >>>= 8) out[at + i] = rest;
  return at + 1 + size;
}

function bytesOfLength(length: number): number {
  return Math.ceil((32 - Math.clz32(length)) / 8);
}

let tailChainId = -1n;
let tail = EMPTY_BYTES;

/** chainId, 0, 0, cached for the last chain: a node uses only one. @see EIP-155 */
function chainTail(chainId: bigint): Uint8Array {
  if (chainId !== tailChainId) {
    tail = concat(encodeItem(bigintToBytes(chainId)), Uint8Array.of(0x80, 0x80));
    tailChainId = chainId;
  }
  return tail;
}
