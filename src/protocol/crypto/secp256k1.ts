import { type Address, bytesToBigint, concat } from "../primitives/bytes.ts";
import { keccak256 } from "./keccak.ts";
import { loadBackend } from "./secp256k1-backend.ts";
import type { Secp256k1Backend } from "./secp256k1-interface.ts";

/** An ECDSA signature with its recovery bit; `s` is in the lower half of the order. */
export interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly parity: 0 | 1;
}

let loaded: Secp256k1Backend | undefined;
function backend(): Secp256k1Backend {
  loaded ??= loadBackend();
  return loaded;
}

/** Whether the native library is loaded, which recovers one key faster than a batch of one. */
export function hasNativeLibrary(): boolean {
  return backend().name === "native";
}

/** Signs a 32-byte hash with a 32-byte private key (RFC 6979 nonce, low s). */
export function sign(hash: Uint8Array, privateKey: Uint8Array): EcdsaSignature {
  const bytes = signBytes(hash, privateKey);
  return {
    parity: bytes[64] as 0 | 1,
    r: bytesToBigint(bytes.subarray(0, 32)),
    s: bytesToBigint(bytes.subarray(32, 64)),
  };
}

/** Signs as `sign` does, without converting to bigints. @returns 65 new bytes: r ‖ s ‖ parity (0 or 1) */
export function signBytes(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return backend().sign(hash, privateKey);
}

/**
 * Recovers the public key of a signature; s may lie in either half of the order.
 * @param rs - r and s, 32 bytes each
 * @param parity - 0 or 1
 * @returns 64 bytes, x and y
 * @throws Error when no key fits
 */
export function recoverPublicKey(hash: Uint8Array, rs: Uint8Array, parity: number): Uint8Array {
  return backend().recover(hash, rs, parity).subarray(1);
}

/**
 * Whether a signature is by the holder of a public key; false for malformed ones and for s in the upper half.
 * @param rs - r and s, 32 bytes each
 * @param publicKey - 64 bytes (x and y) or 33 (compressed)
 */
export function verify(hash: Uint8Array, rs: Uint8Array, publicKey: Uint8Array): boolean {
  return rs.length === 64 && backend().verify(hash, rs, toSec1(publicKey));
}

/** Public key (64 bytes, x and y) of a 32-byte private key. @throws Error when the private key is not valid */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return backend().publicKey(privateKey).subarray(1);
}

/** 33-byte compressed form of a 64-byte public key. */
export function compressPublicKey(publicKey: Uint8Array): Uint8Array {
  const compressed = new Uint8Array(33);
  compressed[0] = 2 + ((publicKey[63] as number) & 1);
  compressed.set(publicKey.subarray(0, 32), 1);
  return compressed;
}

/** 64 bytes (x and y) of a 33-byte compressed key. @throws Error when it is not a point of the curve */
export function decompressPublicKey(compressed: Uint8Array): Uint8Array {
  return backend().decompress(compressed).subarray(1);
}

/** Last 20 bytes of the Keccak-256 hash of a 64-byte public key. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  return keccak256(publicKey).slice(12);
}

/** By the array that holds the key. */
const addresses = new WeakMap<Uint8Array, Address>();

/**
 * Address of a 32-byte private key, computed once for each array: a node asks for that of its own key in several places. The array must
 * not change.
 * @throws Error when the private key is not valid
 */
export function addressOfPrivateKey(privateKey: Uint8Array): Address {
  const known = addresses.get(privateKey);
  if (known !== undefined) return known;
  const address = addressOfPublicKey(publicKeyOf(privateKey));
  addresses.set(privateKey, address);
  return address;
}

/** Tells `addressOfPrivateKey` the address of a key, so that it is not computed. @returns the same array */
export function withAddress(privateKey: Uint8Array, address: Address): Uint8Array {
  addresses.set(privateKey, address);
  return privateKey;
}

/** Whether bytes are a point of the curve in SEC 1 form: 33 bytes compressed or 65 uncompressed. */
export function isPublicKey(bytes: Uint8Array): boolean {
  const known = bytes.length === 33 || (bytes.length === 65 && bytes[0] === 4);
  return known && backend().isPublicKey(bytes);
}

/** Whether bytes are a private key: 32 bytes, above zero and below the order. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  return bytes.length === 32 && backend().isPrivateKey(bytes);
}

/** The x coordinate (32 bytes) of the point that two parties share (ECDH). @throws Error when a key is not valid */
export function sharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return backend().sharedSecret(privateKey, toSec1(publicKey));
}

function toSec1(publicKey: Uint8Array): Uint8Array {
  return publicKey.length === 64 ? concat(Uint8Array.of(4), publicKey) : publicKey;
}
