import { addressOfPublicKey, recoverPublicKey } from "../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../protocol/primitives/bytes.ts";

/**
 * Recovers the address that signed a hash; undefined when the signature is invalid.
 * @param rs - r and s, 32 bytes each
 * @param parity - 0 or 1
 */
export function signerOf(hash: Hash, rs: Uint8Array, parity: number): Address | undefined {
  try {
    return addressOfPublicKey(recoverPublicKey(hash, rs, parity));
  } catch {
    return undefined;
  }
}
