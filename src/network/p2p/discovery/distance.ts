import { keccak256 } from "../../../protocol/crypto/keccak.ts";

/** Bits of an identity hash, and so the largest distance. */
const BITS = 256;
/** Buckets of a table: nodes that are closer than the last of them share it, as half of all nodes are in the farthest one. */
export const BUCKETS = 17;

/** The position of an identity: the Keccak-256 of its 64 bytes. Distance is the XOR of two positions. */
export function placeOf(id: Uint8Array): Uint8Array {
  return keccak256(id);
}

/** Which of two places is closer to a target: negative for `a`, positive for `b`, 0 for equal ones. */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < target.length; i++) {
    const byte = target[i] as number;
    const difference = (byte ^ (a[i] as number)) - (byte ^ (b[i] as number));
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Bits of the distance between two places: 0 for equal ones, 256 when their first bits differ. */
export function logDistance(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) ^ (b[i] as number);
    if (difference !== 0) return BITS - 8 * i - (Math.clz32(difference) - 24);
  }
  return 0;
}

/** Bucket of a place in the table of a node, 0 to 16. */
export function bucketOf(own: Uint8Array, place: Uint8Array): number {
  return Math.max(0, logDistance(own, place) - (BITS - BUCKETS + 1));
}
