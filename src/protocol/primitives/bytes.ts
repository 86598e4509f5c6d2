/** 20 bytes. */
export type Address = Uint8Array;
/** 32 bytes. */
export type Hash = Uint8Array;

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);
export const ZERO_ADDRESS: Address = new Uint8Array(20);
export const ZERO_HASH: Hash = new Uint8Array(32);

/** Joins byte strings into a new one. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
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

const HEX_BYTE: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));

/** Big-endian bytes to a number without bound. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  let hex = "0x";
  for (let i = 0; i < bytes.length; i++) hex += HEX_BYTE[bytes[i] as number];
  return BigInt(hex);
}

/** Big-endian bytes without leading zeros; zero is the empty string. */
export function bigintToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  let digits = value.toString(16);
  if (digits.length & 1) digits = `0${digits}`;
  const out = new Uint8Array(digits.length >>> 1);
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return out;
}

/** Big-endian bytes of exactly `size` bytes. @throws RangeError when the value is negative or too large */
export function bigintToFixedBytes(value: bigint, size: number): Uint8Array {
  if (value < 0n) throw new RangeError("negative value");
  return leftPad(bigintToBytes(value), size);
}
