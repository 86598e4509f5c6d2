import { encodeItem } from "../../codec/rlp/item.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import type { SignedHash } from "../../crypto/recovery/recover-public-keys.ts";
import { addressOfPublicKey, recoverPublicKey } from "../../crypto/secp256k1.ts";
import { type Address, bigintToBytes, concat } from "../../primitives/bytes.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { TransactionError } from "../errors.ts";
import { feePayerSigningHash, signingHash } from "../hash.ts";
import type { Authorization, Signature, Transaction } from "../transaction.ts";
import { isEnveloped } from "../types.ts";
import { cacheOf, type Signers } from "../value.ts";
import { chainIdOfV, invalidSignature, isScalarPair, isUnprotected, signatureBytes } from "./signature.ts";

export type { Signers } from "../value.ts";

/**
 * Recovers the signers of a transaction; computed once per object and chain.
 * @throws TransactionError `TX_CHAIN_ID`, `TX_SIGNATURE`, `TX_SIGNATURE_COUNT`; `details.role` tells whose signature
 */
export function recoverSigners(tx: Transaction, chainId: bigint): Signers {
  const cache = cacheOf(tx);
  if (cache.signers?.chainId !== chainId) {
    const { sender, senderKeys } = recoverSender(tx, chainId);
    const value = { sender, senderKeys, feePayerKeys: recoverFeePayerKeys(tx, chainId) };
    cache.signers = { chainId, value };
  }
  return cache.signers.value;
}

/** The signers of a transaction, if already known. */
export function knownSigners(tx: Transaction, chainId: bigint): Signers | undefined {
  const known = cacheOf(tx).signers;
  return known?.chainId === chainId ? known.value : undefined;
}

/** Sets the signers of a transaction, recovered elsewhere. */
export function keepSigners(tx: Transaction, chainId: bigint, value: Signers): void {
  cacheOf(tx).signers = { chainId, value };
}

/**
 * The hashes signed by the sender, followed by those signed by the fee payer, a row for each signature.
 * @throws TransactionError `TX_CHAIN_ID`, `TX_SIGNATURE` for what cannot be a signature of this chain
 */
export function signedHashes(
  tx: Transaction,
  chainId: bigint,
): { readonly sender: SignedHash[]; readonly feePayer: SignedHash[] } {
  checkChainId(tx, chainId);
  const hash = signingHash(tx, chainId);
  const sender = tx.signatures.map((signature) => signedHash(tx, chainId, hash, signature, "sender"));
  if (tx.type.feeMode === "sender") return { sender, feePayer: [] };
  const payerHash = feePayerSigningHash(tx, chainId);
  const signatures = tx.feePayerSignatures ?? [];
  const payer = signatures.map((signature) => signedHash(tx, chainId, payerHash, signature, "feePayer"));
  return { sender, feePayer: payer };
}

/** Sets the signers of a transaction by the keys of its signatures. @throws TransactionError `TX_SIGNATURE_COUNT` */
export function keepSignerKeys(
  tx: Transaction,
  chainId: bigint,
  senderKeys: readonly Uint8Array[],
  feePayerKeys: readonly Uint8Array[],
): void {
  keepSigners(tx, chainId, { sender: tx.from ?? soleSigner(senderKeys), senderKeys, feePayerKeys });
}

/** Sets the sender as recorded in the chain. */
export function keepSender(tx: Transaction, sender: Address): void {
  cacheOf(tx).sender = sender;
}

/** The sender as recorded in the chain, else recovered. @throws TransactionError, as `recoverSigners` */
export function senderOf(tx: Transaction, chainId: bigint): Address {
  return cacheOf(tx).sender ?? recoverSender(tx, chainId).sender;
}

/** The sender and its keys, without checking the fee payer. @throws TransactionError, as `recoverSigners` */
export function recoverSender(tx: Transaction, chainId: bigint): Omit<Signers, "feePayerKeys"> {
  const known = cacheOf(tx).signers;
  if (known?.chainId === chainId) return known.value;
  checkChainId(tx, chainId);
  const hash = signingHash(tx, chainId);
  const senderKeys = tx.signatures.map((signature) => recover(tx, chainId, hash, signature, "sender"));
  return { sender: tx.from ?? soleSigner(senderKeys), senderKeys };
}

/** The keys that signed as fee payer; none without a separate fee payer. @throws TransactionError, as `recoverSigners` */
export function recoverFeePayerKeys(tx: Transaction, chainId: bigint): readonly Uint8Array[] {
  if (tx.type.feeMode === "sender") return [];
  const hash = feePayerSigningHash(tx, chainId);
  const signatures = tx.feePayerSignatures ?? [];
  return signatures.map((signature) => recover(tx, chainId, hash, signature, "feePayer"));
}

/**
 * Recovers each signature of a role independently: a public key, or the error.
 * @param role - whose signatures; a transaction without a separate fee payer has none of that role
 */
export function recoverEach(
  tx: Transaction,
  chainId: bigint,
  role: "sender" | "feePayer",
): readonly (Uint8Array | TransactionError)[] {
  const isSender = role === "sender";
  if (!isSender && tx.type.feeMode === "sender") return [];
  const hash = isSender ? signingHash(tx, chainId) : feePayerSigningHash(tx, chainId);
  const signatures = isSender ? tx.signatures : (tx.feePayerSignatures ?? []);
  return signatures.map((signature) => {
    try {
      return recover(tx, chainId, hash, signature, role);
    } catch (error) {
      if (error instanceof TransactionError) return error;
      throw error;
    }
  });
}

function checkChainId(tx: Transaction, chainId: bigint): void {
  if (isUnprotected(tx) || chainIdOf(tx) === chainId) return;
  const details = { have: chainIdOf(tx), want: chainId, role: "sender" };
  throw new TransactionError("TX_CHAIN_ID", "invalid chain id for signer", details);
}

/** The chain for which a transaction was signed; 0 for an unprotected legacy transaction, absent when unsigned. */
export function chainIdOf(tx: Transaction): bigint | undefined {
  if (tx.chainId !== undefined) return tx.chainId;
  const signature = tx.signatures[0];
  return signature === undefined ? undefined : chainIdOfV(signature.v);
}

/** Bit 0 of the recovery id; anything but 0 or 1 is not a signature. */
function parityOf(tx: Transaction, { v }: Signature, chainId: bigint): bigint {
  if (isEnveloped(tx.type)) return v;
  if (isUnprotected(tx)) return v - 27n;
  const distance = v - chainId * 2n - 8n;
  // The reference looks at the magnitude of this distance, so that a fee payer's v may lie on the other side too.
  return (distance < 0n ? -distance : distance) - 27n;
}

/** The signature in the form for recovery. @throws TransactionError `TX_SIGNATURE` when it cannot be one */
function signedHash(
  tx: Transaction,
  chainId: bigint,
  hash: Uint8Array,
  signature: Signature,
  role: "sender" | "feePayer",
): SignedHash {
  const parity = parityOf(tx, signature, chainId);
  if ((parity !== 0n && parity !== 1n) || !isScalarPair(signature, true)) throw invalidSignature({ role });
  const by = role === "sender" ? tx.from : tx.feePayer;
  return { hash, rs: signatureBytes(signature), recid: Number(parity), by };
}

function recover(
  tx: Transaction,
  chainId: bigint,
  signed: Uint8Array,
  signature: Signature,
  role: "sender" | "feePayer",
): Uint8Array {
  const { hash, rs, recid } = signedHash(tx, chainId, signed, signature, role);
  try {
    return recoverPublicKey(hash, rs, recid);
  } catch (cause) {
    throw new TransactionError("TX_SIGNATURE", "recovery failed", { role }, { cause });
  }
}

function soleSigner(keys: readonly Uint8Array[]): Address {
  const key = keys[0];
  if (key !== undefined && keys.length === 1) return addressOfPublicKey(key);
  const text = "the number of signatures should be one";
  throw new TransactionError("TX_SIGNATURE_COUNT", text, { count: keys.length, role: "sender" });
}

/** First byte of the message that an authority signs. @see EIP-7702 */
const AUTHORIZATION_MAGIC = 0x05;

/** Hash that the authority of an EIP-7702 authorization signs. */
export function authorizationHash(
  authorization: Pick<Authorization, "chainId" | "address" | "nonce">,
): Uint8Array {
  const { chainId, address, nonce } = authorization;
  const list = encodeItem([bigintToBytes(chainId), address, bigintToBytes(nonce)]);
  return keccak256(concat(Uint8Array.of(AUTHORIZATION_MAGIC), list));
}

/** The account that signed an authorization; undefined if the signature is invalid or has a high s. */
export function authorityOf(authorization: Authorization): Address | undefined {
  const { yParity, r, s } = authorization;
  const signature = { v: yParity, r, s };
  if (yParity > 1n || !isScalarPair(signature, true)) return undefined;
  try {
    const key = recoverPublicKey(
      authorizationHash(authorization),
      signatureBytes(signature),
      Number(yParity),
    );
    return addressOfPublicKey(key);
  } catch {
    return undefined;
  }
}

/** The accounts that signed a transaction's authorizations, each once, in the order of the list. */
export function authoritiesOf(tx: Transaction): readonly Address[] {
  const found = new Map<string, Address>();
  for (const authorization of tx.authorizationList ?? []) {
    const authority = authorityOf(authorization);
    if (authority !== undefined) found.set(bytesToHex(authority), authority);
  }
  return [...found.values()];
}
