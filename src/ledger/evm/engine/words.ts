import type { Address } from "../../../protocol/primitives/bytes.ts";
import { limbsToBytes } from "../../state/journal/limb-tables.ts";

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Writes a bigint below 2^256 as a word at index `at`. */
export function writeBigint(words: Uint32Array, at: number, value: bigint): void {
  if (value <= MAX_SAFE) {
    const number = Number(value);
    writeNumber(words, at, number >>> 0);
    words[at + 1] = Math.floor(number / 0x1_0000_0000);
    return;
  }
  for (let i = 0; i < 8; i++, value >>= 32n) words[at + i] = Number(value & 0xffffffffn);
}

/** Writes a number below 2^32 as a word at index `at`. */
export function writeNumber(words: Uint32Array, at: number, value: number): void {
  words[at] = value;
  for (let i = 1; i < 8; i++) words[at + i] = 0;
}

/** The word at index `at` as a bigint. */
export function readBigint(words: Uint32Array, at: number): bigint {
  const small = readNumber(words, at);
  if (small < Number.MAX_SAFE_INTEGER) return BigInt(small);
  let value = 0n;
  for (let i = 7; i >= 0; i--) value = (value << 32n) | BigInt(words[at + i] as number);
  return value;
}

/** Whether the word at index `at` is zero. */
export function isZeroWord(words: Uint32Array, at: number): boolean {
  let any = 0;
  for (let i = 0; i < 8; i++) any |= words[at + i] as number;
  return any === 0;
}

/** The word at index `at`, or 2^53 - 1 if it does not fit 53 bits. */
export function readNumber(words: Uint32Array, at: number): number {
  for (let i = 2; i < 8; i++) if (words[at + i] !== 0) return Number.MAX_SAFE_INTEGER;
  const high = words[at + 1] as number;
  return high > 0x1fffff ? Number.MAX_SAFE_INTEGER : high * 0x1_0000_0000 + (words[at] as number);
}

/** Writes an address as a word at index `at`. */
export function writeAddress(words: Uint32Array, at: number, address: Address): void {
  for (let i = 0, byte = 16; i < 5; i++, byte -= 4) {
    words[at + i] =
      ((address[byte] as number) << 24) |
      ((address[byte + 1] as number) << 16) |
      ((address[byte + 2] as number) << 8) |
      (address[byte + 3] as number);
  }
  words[at + 5] = 0;
  words[at + 6] = 0;
  words[at + 7] = 0;
}

/** The address in the low 160 bits of the word at index `at`. */
export function readAddress(words: Uint32Array, at: number): Address {
  return limbsToBytes(words, at).subarray(12);
}
