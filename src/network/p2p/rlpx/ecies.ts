import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { publicKeyOf, sharedSecret } from "../../../protocol/crypto/secp256k1.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";

const POINT_BYTES = 65;
const IV_BYTES = 16;
const TAG_BYTES = 32;

/** Overhead of encryption in bytes: ephemeral public key, IV and tag. */
export const ECIES_OVERHEAD: number = POINT_BYTES + IV_BYTES + TAG_BYTES;

/** Random values of one encryption. */
export interface EciesMaterial {
  /** Private key, 32 bytes. */
  readonly key: Uint8Array;
  /** 16 bytes. */
  readonly iv: Uint8Array;
}

/**
 * Encrypts to a public key: `0x04 ‖ ephemeral public key (64) ‖ IV (16) ‖ AES-128-CTR ciphertext ‖
 * HMAC-SHA-256 (32)`.
 * @param remote - public key, 64 bytes
 * @param shared - additional authenticated data: in RLPx the two bytes of the packet's size
 * @see EIP-8; devp2p, RLPx, "ECIES encryption"
 */
export function encryptEcies(
  remote: Uint8Array,
  plaintext: Uint8Array,
  shared: Uint8Array,
  { key, iv }: EciesMaterial,
): Uint8Array {
  const keys = deriveKeys(sharedSecret(key, remote));
  const cipher = createCipheriv("aes-128-ctr", keys.encryption, iv);
  const body = concat(iv, cipher.update(plaintext));
  return concat(Uint8Array.of(0x04), publicKeyOf(key), body, tagOf(keys.mac, body, shared));
}

/**
 * The inverse of `encryptEcies`.
 * @param privateKey - of the receiver, 32 bytes
 * @throws PeerError `HANDSHAKE` if it was encrypted to another key, tampered with or truncated
 */
export function decryptEcies(privateKey: Uint8Array, packet: Uint8Array, shared: Uint8Array): Uint8Array {
  if (packet.length < ECIES_OVERHEAD || packet[0] !== 0x04) throw invalid();
  const keys = deriveKeys(secretWith(privateKey, packet.subarray(1, POINT_BYTES)));
  const body = packet.subarray(POINT_BYTES, packet.length - TAG_BYTES);
  const tag = packet.subarray(packet.length - TAG_BYTES);
  if (!timingSafeEqual(tagOf(keys.mac, body, shared), tag)) throw invalid();
  const decipher = createDecipheriv("aes-128-ctr", keys.encryption, body.subarray(0, IV_BYTES));
  return decipher.update(body.subarray(IV_BYTES));
}

function secretWith(privateKey: Uint8Array, point: Uint8Array): Uint8Array {
  try {
    return sharedSecret(privateKey, point);
  } catch {
    throw invalid();
  }
}

/** One block of the concatenation KDF of NIST SP 800-56A with SHA-256, which yields the required 32 bytes. */
function deriveKeys(secret: Uint8Array): { readonly encryption: Uint8Array; readonly mac: Uint8Array } {
  const derived = createHash("sha256")
    .update(Uint8Array.of(0, 0, 0, 1))
    .update(secret)
    .digest();
  return {
    encryption: derived.subarray(0, 16),
    mac: createHash("sha256").update(derived.subarray(16)).digest(),
  };
}

function tagOf(key: Uint8Array, body: Uint8Array, shared: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(body).update(shared).digest();
}

function invalid(): PeerError {
  return new PeerError("HANDSHAKE", "ecies: invalid message");
}
