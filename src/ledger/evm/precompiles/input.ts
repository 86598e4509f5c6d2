/** Bytes `start`…`start + size` of an input, zero-padded beyond its end. */
export function paddedSlice(input: Uint8Array, start: number, size: number): Uint8Array {
  const part = input.subarray(start, start + size);
  if (part.length === size) return part;
  const out = new Uint8Array(size);
  out.set(part);
  return out;
}

/** Number of 32-byte words that hold `length` bytes. */
export function wordCount(length: number): number {
  return Math.ceil(length / 32);
}

/** 1 or 0 as a big-endian 32-byte word. */
export function booleanWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}

/** Bytes hashed between two checks of the deadline: 10 ms at the slowest. */
const CHUNK = 32_768;

/** Splits an input into chunks to hash one by one. */
export function* chunks(input: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < input.length; at += CHUNK) yield input.subarray(at, at + CHUNK);
}
