import { encodeItem } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { type Address, bigintToBytes, concat, type Hash } from "../primitives/bytes.ts";
import { encodeTransaction, layoutOf, signedItems, withoutSidecar } from "./encoding.ts";
import { TransactionError } from "./errors.ts";
import { isUnprotected } from "./signature.ts";
import type { Transaction } from "./transaction.ts";
import { cacheOf } from "./value.ts";

/** The hash that names a transaction: over its encoding without side car and without the byte 0x78. */
export function transactionHash(tx: Transaction): Hash {
  const cache = cacheOf(tx);
  if (cache.hash === undefined) {
    const raw = encodeTransaction(withoutSidecar(tx));
    cache.hash = keccak256(tx.type.prefix.length === 2 ? raw.subarray(1) : raw);
  }
  return cache.hash;
}

/** Hash of the transaction without what the fee payer adds; the transaction hash where nobody else pays. */
export function senderTransactionHash(tx: Transaction): Hash {
  if (tx.type.feeMode === "sender") return transactionHash(tx);
  const cache = cacheOf(tx);
  if (cache.senderHash === undefined) {
    const { raw, start, senderEnd } = layoutOf(tx);
    cache.senderHash = keccak256(concat(tx.type.prefix, listOf(raw.subarray(start, senderEnd))));
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
  if (!tx.type.ethereum) return listOf(signedString(tx), chainTail(chainId));
  if (tx.type.code === 0) return legacyPayload(tx, chainId);
  if (tx.chainId === 0n) {
    return concat(tx.type.prefix.subarray(1), encodeItem(signedItems({ ...tx, chainId })));
  }
  const { raw, start, signedEnd } = layoutOf(tx);
  return concat(tx.type.prefix.subarray(1), listOf(raw.subarray(start, signedEnd)));
}

/** The bytes whose hash the fee payer signs. @throws TransactionError `TX_NOT_FEE_DELEGATED` */
export function feePayerSigningPayload(tx: Transaction, chainId: bigint): Uint8Array {
  if (tx.feePayer === undefined || tx.type.feeMode === "sender") {
    throw new TransactionError("TX_NOT_FEE_DELEGATED", "not a fee delegation type transaction");
  }
  return listOf(signedString(tx), encodeItem(tx.feePayer as Address), chainTail(chainId));
}

function legacyPayload(tx: Transaction, chainId: bigint): Uint8Array {
  const { raw, start, signedEnd } = layoutOf(tx);
  const fields = raw.subarray(start, signedEnd);
  return isUnprotected(tx) ? listOf(fields) : listOf(fields, chainTail(chainId));
}

/** The signed fields of a Kaia type, headed by the type: a list, as a byte string. */
function signedString(tx: Transaction): Uint8Array {
  const { raw, start, signedEnd } = layoutOf(tx);
  return encodeItem(listOf(tx.type.prefix, raw.subarray(start, signedEnd)));
}

/** chainId, 0, 0. @see EIP-155 */
function chainTail(chainId: bigint): Uint8Array {
  return concat(encodeItem(bigintToBytes(chainId)), Uint8Array.of(0x80, 0x80));
}

/** An RLP list of items that are encoded already. */
function listOf(...encoded: readonly Uint8Array[]): Uint8Array {
  return concat(listHeader(encoded.reduce((sum, part) => sum + part.length, 0)), ...encoded);
}

function listHeader(length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(0xc0 + length);
  const size = bigintToBytes(BigInt(length));
  return concat(Uint8Array.of(0xf7 + size.length), size);
}
