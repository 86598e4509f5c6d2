import type { EcdsaSignature } from "../../crypto/secp256k1.ts";
import {
  type Address,
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  equalBytes,
} from "../../primitives/bytes.ts";
import { TransactionError } from "../errors.ts";
import type { Signature, Transaction } from "../transaction.ts";
import { cacheOf } from "../value.ts";
import { recoverFeePayerKeys, recoverSender } from "./signers.ts";

/** First 12 of the 32 bytes of `r`; the address follows. A real signature has such an r with a probability of 2^-96. */
const MARK = new TextEncoder().encode("impersonate:");
const S = 1n;

/**
 * A placeholder signature of an impersonated account. It has the form of a signature but is not
 * one: only development chains, which `vouch` for it, accept it.
 */
export function impersonationSignature(address: Address): EcdsaSignature {
  return { parity: 0, r: bytesToBigint(concat(MARK, address)), s: S };
}

/** The account that a placeholder signature impersonates; undefined for an ordinary signature. */
export function impersonatedBy({ r, s }: Signature): Address | undefined {
  if (s !== S) return undefined;
  const bytes = bigintToFixedBytes(r, 32);
  return equalBytes(bytes.subarray(0, MARK.length), MARK) ? bytes.slice(MARK.length) : undefined;
}

/**
 * Caches the signers of a transaction with impersonation signatures, so that `recoverSigners` returns them.
 * @param isAllowed - whether an account may be impersonated
 * @returns whether they are cached, now or from before; if not, normal signature recovery applies
 */
export function vouch(tx: Transaction, chainId: bigint, isAllowed: (address: Address) => boolean): boolean {
  const cache = cacheOf(tx);
  if (cache.signers?.chainId === chainId && cache.signers.value.vouched) return true;
  const sender = standIn(tx.signatures, tx.from);
  const feePayer = tx.feePayer && standIn(tx.feePayerSignatures ?? [], tx.feePayer);
  const stoodFor = [sender, feePayer].filter((address) => address !== undefined);
  if (stoodFor.length === 0 || !stoodFor.every(isAllowed)) return false;
  try {
    const value = {
      ...(sender ? { sender, senderKeys: [] } : recoverSender(tx, chainId)),
      feePayerKeys: feePayer ? [] : recoverFeePayerKeys(tx, chainId),
      vouched: { sender: sender !== undefined, feePayer: feePayer !== undefined },
    };
    cache.signers = { chainId, value };
    return true;
  } catch (error) {
    if (error instanceof TransactionError) return false;
    throw error;
  }
}

/** The account impersonated by a single signature; it must match the transaction's sender, if it names one. */
function standIn(signatures: readonly Signature[], named: Address | undefined): Address | undefined {
  const signature = signatures[0];
  if (signature === undefined || signatures.length > 1) return undefined;
  const address = impersonatedBy(signature);
  if (address === undefined || (named !== undefined && !equalBytes(named, address))) return undefined;
  return address;
}
