import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";

const LIMB = (1n << 64n) - 1n;

/** Leaves a word in four limbs, the lowest first. */
export function writeWord(words: BigUint64Array, word: bigint): undefined {
  words[0] = word & LIMB;
  words[1] = word <= LIMB ? 0n : (word >> 64n) & LIMB;
  words[2] = word <= LIMB ? 0n : (word >> 128n) & LIMB;
  words[3] = word <= LIMB ? 0n : (word >> 192n) & LIMB;
}

/** The number in up to 32 bytes; 0 in none. */
export function wordOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : bytesToBigint(bytes);
}
