/** Writes up to 32 big-endian bytes as a word: eight 32-bit limbs at `words[at]`, the least significant first. */
export function bytesToLimbs(bytes: Uint8Array, words: Uint32Array, at: number): void {
  words.fill(0, at, at + 8);
  for (let i = bytes.length - 1, bit = 0; i >= 0; i--, bit += 8) {
    const limb = at + (bit >>> 5);
    words[limb] = (words[limb] as number) | ((bytes[i] as number) << (bit & 31));
  }
}

/** The word at `words[at]` as 32 new big-endian bytes. */
export function limbsToBytes(words: Uint32Array, at: number): Uint8Array {
  const bytes = new Uint8Array(32);
  for (let limb = 0, end = 31; limb < 8; limb++) {
    let word = words[at + limb] as number;
    for (let i = 0; i < 4; i++, word >>>= 8) bytes[end--] = word;
  }
  return bytes;
}
