import { CURVE_ORDER } from "../../protocol/crypto/curve.ts";
import type { EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
import {
  type Address,
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  equalBytes,
  type Hash,
} from "../../protocol/primitives/bytes.ts";
import { decodeTransaction } from "../../protocol/transaction/decoding.ts";
import { unsignedHash } from "../../protocol/transaction/signatures/signing.ts";
import type { Signature, Transaction } from "../../protocol/transaction/transaction.ts";
import { ETHEREUM_ENVELOPE } from "../../protocol/transaction/type-table.ts";
import { isEnveloped } from "../../protocol/transaction/types.ts";
import { signerOf } from "../signature-signer.ts";
import { hashToSign, type TransactionRequest } from "../transaction-request.ts";
import { badResponse } from "./signer-rpc.ts";

/**
 * Extracts the signature from a signed transaction returned by an external signer. Signers are not trusted: the
 * transaction must be the requested one, signed by the requested account.
 * @param raw - in Ethereum's encoding: typed ones without Kaia's envelope byte 0x78
 * @throws WalletError `SIGNER_ANSWER`
 */
export function signatureOfRaw(
  raw: Uint8Array,
  request: TransactionRequest,
  address: Address,
): EcdsaSignature {
  const signed = decode(raw);
  const hash = hashToSign(request);
  if (signed.type !== request.tx.type || !equalBytes(unsignedHash(signed, request.chainId), hash))
    throw badResponse("is not the requested transaction");
  const [signature] = signed.signatures;
  if (signature === undefined) throw badResponse("is not signed");
  const { r, s } = signature;
  return checked({ r, s, parity: parityOf(signed, signature, request.chainId) }, hash, address);
}

/**
 * Decodes a signature of 65 bytes (r, s, v) and verifies that it is by the account.
 * @throws WalletError `SIGNER_ANSWER`
 */
export function signatureOfBytes(bytes: Uint8Array, hash: Hash, address: Address): EcdsaSignature {
  if (bytes.length !== 65) throw badResponse("is not a signature of 65 bytes");
  const v = bytes[64] as number;
  const r = bytesToBigint(bytes.subarray(0, 32));
  const s = bytesToBigint(bytes.subarray(32, 64));
  return checked({ r, s, parity: v >= 27 ? v - 27 : v }, hash, address);
}

function decode(raw: Uint8Array): Transaction {
  const isTyped = raw.length > 0 && (raw[0] as number) < 0x80;
  try {
    return decodeTransaction(isTyped ? concat(Uint8Array.of(ETHEREUM_ENVELOPE), raw) : raw);
  } catch {
    throw badResponse("is not a transaction");
  }
}

/** Neither 0 nor 1 when the signature is for another chain or for none. */
function parityOf({ type }: Transaction, { v }: Signature, chainId: bigint): number {
  return Number(isEnveloped(type) ? v : v - 35n - 2n * chainId);
}

function checked(
  { r, s, parity }: { readonly r: bigint; readonly s: bigint; readonly parity: number },
  hash: Hash,
  address: Address,
): EcdsaSignature {
  if (parity !== 0 && parity !== 1) throw badResponse("is signed for another chain");
  if (r === 0n || r >= CURVE_ORDER || s === 0n || s > CURVE_ORDER / 2n)
    throw badResponse("has an invalid signature");
  const signer = signerOf(hash, concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32)), parity);
  if (signer === undefined || !equalBytes(signer, address)) throw badResponse("is signed by another account");
  return { r, s, parity };
}
