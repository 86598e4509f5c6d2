/**
 * Seeds of the hash tables, drawn once per process. They decide only where a key lies in memory, never a result;
 * without them a contract could choose addresses or slots that all fall on one place and make look-ups quadratic.
 */
const [SEED, FACTOR] = drawSeeds();

function drawSeeds(): readonly [number, number] {
  const [seed, factor] = crypto.getRandomValues(new Int32Array(2)) as unknown as [number, number];
  return [seed, factor | 1];
}

/** Hash of `count` 32-bit limbs of `words` from index `at`, and of a number that tells tables apart. */
export function hashLimbs(words: Uint32Array, at: number, count: number, salt: number): number {
  let hash = SEED ^ salt;
  for (let i = 0; i < count; i++) {
    hash = Math.imul(hash ^ (words[at + i] as number), FACTOR);
    hash ^= hash >>> 15;
  }
  return Math.imul(hash, 0x85ebca6b) >>> 7;
}
