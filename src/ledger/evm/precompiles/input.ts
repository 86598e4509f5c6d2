/** Bytes `start`…`start + size` of an input, as if zeros followed it without end. */
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

/** The 32-byte answer of the checks: 1 or 0 as a big-endian word. */
export function booleanWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}

/** Bytes that are hashed between two looks at the clock: 10 ms at the slowest. */
const PART = 32_768;

/** An input in parts that are hashed one after the other. */
export function* parts(input: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < input.length; at += PART) yield input.subarray(at, at + PART);
}
