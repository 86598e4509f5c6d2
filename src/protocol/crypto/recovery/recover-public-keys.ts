import { hasNativeLibrary, recoverPublicKey } from "../secp256k1.ts";
import { MAX_SIGNATURES, sharedBatches } from "./batch-recovery.ts";
import type { SignedHash } from "./signed-hash.ts";

export type { SignedHash } from "./signed-hash.ts";

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
    keys.push(...recoverTogether(part));
  }
  return keys;
}

/** Tries the known keys of the signers first, which takes less than half the time of recovering them. */
function recoverTogether(signed: readonly SignedHash[]): (Uint8Array | undefined)[] {
  const batches = sharedBatches();
  const keys = batches.known.find(signed);
  const rest = [...signed.keys()].filter((i) => keys[i] === undefined);
  const left = rest.map((i) => signed[i] as SignedHash);
  for (const [j, found] of batches.recover(left).entries()) {
    keys[rest[j] as number] = found === "unclear" ? recoverAlone(left[j] as SignedHash) : found;
  }
  for (const i of rest) {
    const key = keys[i];
    if (key !== undefined) batches.known.note(signed[i] as SignedHash, key);
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
