import { MAX_MULTISIG_KEYS } from "../../account/key-rules.ts";
import { type EcdsaSignature, sign } from "../../crypto/secp256k1.ts";
import { TransactionError } from "../errors.ts";
import { feePayerSigningHash, signingHash } from "../hash.ts";
import type { Signature, Transaction } from "../transaction.ts";
import { isEnveloped } from "../types.ts";
import { createTransaction } from "../value.ts";

/**
 * The transaction with the sender's signatures, one per key in their order. Existing signatures are dropped; an
 * Ethereum typed transaction without a chain id gets this one.
 * @param privateKeys - 32 bytes each; exactly one for legacy and Ethereum types, up to ten for Kaia types
 * @throws TransactionError `TX_CHAIN_ID`, `TX_SIGNATURE_COUNT`
 */
export function signTransaction(
  tx: Transaction,
  privateKeys: readonly Uint8Array[],
  chainId: bigint,
): Transaction {
  return withSignatures(tx, signWithEach(privateKeys, unsignedHash(tx, chainId)), chainId);
}

/**
 * The transaction with the fee payer's signatures, one per key in their order.
 * @throws TransactionError `TX_NOT_FEE_DELEGATED`, `TX_SIGNATURE_COUNT`
 */
export function signAsFeePayer(
  tx: Transaction,
  privateKeys: readonly Uint8Array[],
  chainId: bigint,
): Transaction {
  return withFeePayerSignatures(tx, signWithEach(privateKeys, feePayerSigningHash(tx, chainId)), chainId);
}

function signWithEach(privateKeys: readonly Uint8Array[], hash: Uint8Array): EcdsaSignature[] {
  return privateKeys.map((key) => sign(hash, key));
}

/** The hash for a wallet to sign; existing signatures do not matter. */
export function unsignedHash(tx: Transaction, chainId: bigint): Uint8Array {
  return signingHash(createTransaction({ ...tx, signatures: [] }), chainId);
}

/** The transaction with sender signatures that a wallet made of `unsignedHash`. @throws as `signTransaction` */
export function withSignatures(
  tx: Transaction,
  made: readonly EcdsaSignature[],
  chainId: bigint,
): Transaction {
  checkCount(tx.type.ethereum ? 1 : MAX_MULTISIG_KEYS, made.length);
  if (!isEnveloped(tx.type)) {
    return createTransaction({ ...tx, signatures: made.map((one) => protectedSignature(one, chainId)) });
  }
  if (tx.chainId !== undefined && tx.chainId !== 0n && tx.chainId !== chainId) {
    const details = { have: tx.chainId, want: chainId };
    throw new TransactionError("TX_CHAIN_ID", "invalid chain id for signer", details);
  }
  const signatures = made.map(({ parity, r, s }) => ({ v: BigInt(parity), r, s }));
  return createTransaction({ ...tx, chainId, signatures });
}

/** The transaction with fee payer signatures that a wallet made of `feePayerSigningHash`. @throws as `signAsFeePayer` */
export function withFeePayerSignatures(
  tx: Transaction,
  made: readonly EcdsaSignature[],
  chainId: bigint,
): Transaction {
  if (tx.type.feeMode === "sender") {
    throw new TransactionError("TX_NOT_FEE_DELEGATED", "not a fee delegation type transaction");
  }
  checkCount(MAX_MULTISIG_KEYS, made.length);
  return createTransaction({
    ...tx,
    feePayerSignatures: made.map((one) => protectedSignature(one, chainId)),
  });
}

/** @see EIP-155 */
function protectedSignature({ parity, r, s }: EcdsaSignature, chainId: bigint): Signature {
  return { v: chainId * 2n + 35n + BigInt(parity), r, s };
}

function checkCount(most: number, count: number): void {
  if (count > 0 && count <= most) return;
  const text = count === 0 ? "slice is empty" : "the number of keys exceeds the limit";
  const single = most === 1 && count > 1 ? "the number of signatures should be one" : text;
  throw new TransactionError("TX_SIGNATURE_COUNT", single, { count });
}

export { recoverSigners } from "./signers.ts";
