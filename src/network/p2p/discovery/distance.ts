import { keccak256 } from "../../../protocol/crypto/keccak.ts";

/** Bits of an id hash: the maximum distance. */
const BITS = 256;
/** Number of buckets: all closer nodes share the nearest one, since half of all nodes fall into the farthest. */
export const BUCKETS = 17;

/** Keccak-256 of a node id of 64 bytes. Distance is the XOR of two hashes. */
export function idHash(id: Uint8Array): Uint8Array {
  return keccak256(id);
}

/** Which of two hashes is closer to a target: negative for `a`, positive for `b`, 0 if equal. */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < target.length; i++) {
    const byte = target[i] as number;
    const difference = (byte ^ (a[i] as number)) - (byte ^ (b[i] as number));
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Logarithmic distance of two hashes: 0 if equal, 256 if their first bits differ. */
export function logDistance(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) ^ (b[i] as number);
    if (difference !== 0) return BITS - 8 * i - (Math.clz32(difference) - 24);
  }
  return 0;
}

/** Bucket of a hash in the table of a node, 0 to 16. */
export function bucketOf(own: Uint8Array, place: Uint8Array): number {
  return Math.max(0, logDistance(own, place) - (BITS - BUCKETS + 1));
}
