/** 20 bytes. */
export type Address = Uint8Array;
/** 32 bytes. */
export type Hash = Uint8Array;

/** The empty byte string. Shared: never change it. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);
export const ZERO_ADDRESS: Address = new Uint8Array(20);
export const ZERO_HASH: Hash = new Uint8Array(32);

/** Up to this size V8 keeps an array's bytes in its own heap, which is cheap. */
const HEAP_BYTES = 64;
/** Above this size the cost of an allocation is small compared to filling it. */
const POOLED_BYTES = 2048;
const SLAB_BYTES = 8192;

/**
 * New zeroed bytes for short-lived use. Those of medium size share slabs of 8 KiB, since an ArrayBuffer of its own costs V8 3 µs
 * instead of 0.1 µs (measured on Node 20): do not transfer or clone their `buffer`. Long-lived bytes retain
 * their slab, and are better copied.
 */
export const allocateBytes: (length: number) => Uint8Array = slabs();

/**
 * As `allocateBytes`, from separate slabs: for long-lived input such as transactions. Among
 * short-lived bytes each would retain a whole slab: four retained transactions per slab were measured, where there is
 * room for seventy.
 */
export const allocateKeptBytes: (length: number) => Uint8Array = slabs();

/**
 * An allocator like `allocateBytes` that uses slabs for short byte strings too: for many with the same lifetime. The overhead
 * of each is 200 bytes in V8's heap, 104 in a slab.
 */
export function allocatorOfMany(): (length: number) => Uint8Array {
  return slabs(0);
}

/** @param heapBytes - maximum size of byte strings left to V8 */
function slabs(heapBytes = HEAP_BYTES): (length: number) => Uint8Array {
  let slab: Uint8Array = EMPTY_BYTES;
  let used = 0;
  return (length) => {
    if (length <= heapBytes || length > POOLED_BYTES) return new Uint8Array(length);
    if (used + length > slab.length) {
      slab = new Uint8Array(SLAB_BYTES);
      used = 0;
    }
    used += length;
    return slab.subarray(used - length, used);
  };
}

/** Joins byte strings into a new one. By index, since until V8 has optimised it an iterator takes as long as a short copy. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (let i = 0; i < parts.length; i++) length += (parts[i] as Uint8Array).length;
  const out = allocateBytes(length);
  let offset = 0;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as Uint8Array;
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/** Whether two byte strings are equal; not constant-time. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Bytewise order: negative, zero or positive; a prefix sorts before the longer string. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const d = (a[i] as number) - (b[i] as number);
    if (d !== 0) return d;
  }
  return a.length - b.length;
}

/** Whether every byte is zero; true for the empty string. */
export function isZeroBytes(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

/** Pads with zeros on the left to `size` bytes. @throws RangeError when the input is longer */
export function leftPad(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length === size) return bytes;
  if (bytes.length > size) throw new RangeError(`${bytes.length} bytes do not fit ${size}`);
  const out = new Uint8Array(size);
  out.set(bytes, size - bytes.length);
  return out;
}

/** The byte string without its leading zero bytes (a view of the input). */
export function trimLeadingZeros(bytes: Uint8Array): Uint8Array {
  let i = 0;
  while (i < bytes.length && bytes[i] === 0) i++;
  return i === 0 ? bytes : bytes.subarray(i);
}

/** Scratch for the conversions: 256 bits, big-endian. */
const word = new Uint8Array(32);
const wordView = new DataView(word.buffer);
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Big-endian bytes to an unbounded integer. @param from, end - the part of them to read */
export function bytesToBigint(bytes: Uint8Array, from = 0, end = bytes.length): bigint {
  const length = end - from;
  if (length > 12 && length <= 32) return wordToBigint(bytes, from, end);
  let value = 0n;
  let i = from + (length & 3);
  if (i > from) value = BigInt(readSmall(bytes, from, i));
  for (; i < end; i += 4) value = (value << 32n) | BigInt(readSmall(bytes, i, i + 4));
  return value;
}

/** Big-endian bytes without leading zeros; zero is the empty string. @throws RangeError when the value is negative */
export function bigintToBytes(value: bigint): Uint8Array {
  if (value <= 0n) {
    if (value < 0n) throw new RangeError("negative value");
    return EMPTY_BYTES;
  }
  if (value <= MAX_SAFE) return numberToBytes(Number(value));
  let start = 32;
  for (let rest = value; rest > 0n; rest >>= 64n) {
    if (start === 0) return concat(bigintToBytes(value >> 256n), lowWord(value));
    start -= 8;
    wordView.setBigUint64(start, rest);
  }
  while (word[start] === 0) start++;
  return word.slice(start);
}

/** Big-endian bytes of a whole number up to 2⁵³, without leading zeros; zero is the empty string. */
export function numberToBytes(value: number): Uint8Array {
  let length = 0;
  for (let rest = value; rest >= 1; rest /= 256) length++;
  const out = new Uint8Array(length);
  for (let rest = value; length > 0; rest = Math.floor(rest / 256)) out[--length] = rest & 0xff;
  return out;
}

/** The low 256 bits in 32 new bytes. */
function lowWord(value: bigint): Uint8Array {
  for (let at = 24, rest = value; at >= 0; at -= 8, rest >>= 64n) wordView.setBigUint64(at, rest);
  return word.slice();
}

function readSmall(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) value = (value << 8) | (bytes[i] as number);
  return value >>> 0;
}

function wordToBigint(bytes: Uint8Array, from: number, end: number): bigint {
  word.fill(0);
  if (end - from === bytes.length) word.set(bytes, 32 - bytes.length);
  else for (let i = from, to = 32 - (end - from); i < end; i++, to++) word[to] = bytes[i] as number;
  let value = wordView.getBigUint64(0);
  for (let i = 8; i < 32; i += 8) value = (value << 64n) | wordView.getBigUint64(i);
  return value;
}

/** Big-endian bytes of exactly `size` bytes. @throws RangeError when the value is negative or too large */
export function bigintToFixedBytes(value: bigint, size: number): Uint8Array {
  return leftPad(bigintToBytes(value), size);
}
