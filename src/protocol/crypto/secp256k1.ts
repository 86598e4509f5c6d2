import { secp256k1 } from "@noble/curves/secp256k1.js";
import { type Address, bytesToBigint, concat } from "../primitives/bytes.ts";
import { keccak256 } from "./keccak.ts";

/** An ECDSA signature with its recovery bit; `s` is in the lower half of the order. */
export interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly parity: 0 | 1;
}

/** Signs a 32-byte hash with a 32-byte private key (RFC 6979 nonce, low s). */
export function sign(hash: Uint8Array, privateKey: Uint8Array): EcdsaSignature {
  const raw = secp256k1.sign(hash, privateKey, { prehash: false, format: "recovered" });
  return {
    parity: raw[0] as 0 | 1,
    r: bytesToBigint(raw.subarray(1, 33)),
    s: bytesToBigint(raw.subarray(33, 65)),
  };
}

/**
 * Recovers the public key of a signature.
 * @param rs - r and s, 32 bytes each
 * @returns 64 bytes, x and y
 * @throws Error when no key fits
 */
export function recoverPublicKey(hash: Uint8Array, rs: Uint8Array, parity: number): Uint8Array {
  const signature = concat(Uint8Array.of(parity), rs);
  const compressed = secp256k1.recoverPublicKey(signature, hash, { prehash: false });
  return decompressPublicKey(compressed);
}

/** Public key (64 bytes, x and y) of a 32-byte private key. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return secp256k1.getPublicKey(privateKey, false).subarray(1);
}

/** 33-byte compressed form of a 64-byte public key. */
export function compressPublicKey(publicKey: Uint8Array): Uint8Array {
  const odd = (publicKey[63] as number) & 1;
  return concat(Uint8Array.of(2 + odd), publicKey.subarray(0, 32));
}

/** 64 bytes (x and y) of a 33-byte compressed key. @throws Error when it is not a point of the curve */
export function decompressPublicKey(compressed: Uint8Array): Uint8Array {
  return secp256k1.Point.fromBytes(compressed).toBytes(false).subarray(1);
}

/** Last 20 bytes of the Keccak-256 hash of a 64-byte public key. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  return keccak256(publicKey).slice(12);
}

/** Whether bytes are a point of the curve in SEC 1 form: 33 bytes compressed or 65 uncompressed. */
export function isPublicKey(bytes: Uint8Array): boolean {
  return secp256k1.utils.isValidPublicKey(bytes);
}
