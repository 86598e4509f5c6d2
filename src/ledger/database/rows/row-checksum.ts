import { crc32 } from "node:zlib";

/** Longer values are passed to zlib; for shorter ones the call costs more than it saves. */
const SHORT = 96;

/** Slicing-by-4 tables for the polynomial of zlib's crc32. */
const TABLES = new Int32Array(4 * 256);
for (let byte = 0; byte < 256; byte++) {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  TABLES[byte] = remainder;
}
for (let i = 256; i < TABLES.length; i++) {
  const before = TABLES[i - 256] as number;
  TABLES[i] = (before >>> 8) ^ (TABLES[before & 0xff] as number);
}

/** CRC-32 of a key, which begins with its table's prefix byte, followed by `length` bytes of a value. */
export function rowChecksum(key: Uint8Array, value: Uint8Array, length = value.length): number {
  const seed = ~advance(-1, key, key.length);
  if (length <= SHORT) return ~advance(~seed, value, length) >>> 0;
  return crc32(length === value.length ? value : value.subarray(0, length), seed >>> 0);
}

function advance(from: number, bytes: Uint8Array, length: number): number {
  let crc = from;
  let i = 0;
  for (const words = length - 3; i < words; i += 4) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc =
      (TABLES[768 + (crc & 0xff)] as number) ^
      (TABLES[512 + ((crc >>> 8) & 0xff)] as number) ^
      (TABLES[256 + ((crc >>> 16) & 0xff)] as number) ^
      (TABLES[crc >>> 24] as number);
  }
  for (; i < length; i++) crc = (TABLES[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
  return crc;
}
