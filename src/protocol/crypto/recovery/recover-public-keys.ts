import { hasNativeLibrary, recoverPublicKey } from "../secp256k1.ts";
import { MAX_SIGNATURES, type SignedHash, sharedBatches } from "./batch-recovery.ts";

export type { SignedHash } from "./batch-recovery.ts";

/** From this many signatures on, a batch is cheaper than calling the native library for each. */
const WORTH_BATCHING = 8;

/**
 * Recovers the public keys of many signatures, with the result of `recoverPublicKey` for each; s may lie in either half of the
 * order.
 * @returns 64 bytes each, x and y; undefined if no key fits
 */
export function recoverPublicKeys(signed: readonly SignedHash[]): (Uint8Array | undefined)[] {
  const keys: (Uint8Array | undefined)[] = [];
  for (let i = 0; i < signed.length; i += MAX_SIGNATURES) {
    const part = signed.slice(i, i + MAX_SIGNATURES);
    if (part.length < WORTH_BATCHING && hasNativeLibrary()) {
      keys.push(...part.map(recoverAlone));
      continue;
    }
    for (const [j, key] of sharedBatches().recover(part).entries()) {
      keys.push(key === "unclear" ? recoverAlone(part[j] as SignedHash) : key);
    }
  }
  return keys;
}

function recoverAlone({ hash, rs, recid }: SignedHash): Uint8Array | undefined {
  try {
    return recoverPublicKey(hash, rs, recid);
  } catch {
    return undefined;
  }
}
