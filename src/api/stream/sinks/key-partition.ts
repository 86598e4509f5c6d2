/**
 * The partition of a key as the reference's client chooses it: FNV-1a of 32 bits, read as a signed number.
 * @see http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of key) hash = Math.imul(hash ^ byte, 0x01000193);
  return Math.abs((hash | 0) % partitions);
}
