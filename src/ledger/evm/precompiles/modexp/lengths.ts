import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import { paddedSlice } from "../input.ts";

/** Bytes of an input before base, exponent and modulus: their lengths. */
export const HEADER = 96;
/** Bytes of the exponent that the price depends on. */
const HEAD = 32;

/** Lengths declared by the input, bytes; any 256-bit number. */
export interface Lengths {
  readonly base: bigint;
  readonly exponent: bigint;
  readonly modulus: bigint;
}

/** The lengths declared last and their encoding: loops call with the same ones, for which nothing is decoded again. */
let lastHeader = new Uint8Array(HEADER);
let lastLengths = decode(lastHeader);

/** Lengths declared by an input, which is zero-padded. */
export function lengthsOf(input: Uint8Array): Lengths {
  if (isLast(input)) return lastLengths;
  lastHeader = new Uint8Array(paddedSlice(input, 0, HEADER));
  lastLengths = decode(lastHeader);
  return lastLengths;
}

function isLast(input: Uint8Array): boolean {
  if (input.length < HEADER) return false;
  let difference = 0;
  for (let i = 0; i < HEADER; i++) difference |= (input[i] as number) ^ (lastHeader[i] as number);
  return difference === 0;
}

function decode(header: Uint8Array): Lengths {
  return {
    base: bytesToBigint(header.subarray(0, 32)),
    exponent: bytesToBigint(header.subarray(32, 64)),
    modulus: bytesToBigint(header.subarray(64, 96)),
  };
}

/** Bits, without leading zeros, of the first 32 bytes of the exponent, or of all if there are fewer. */
export function headBits(input: Uint8Array, { base, exponent }: Lengths): number {
  if (base >= BigInt(input.length)) return 0;
  const start = HEADER + Number(base);
  const size = exponent > HEAD ? HEAD : Number(exponent);
  for (let i = 0; i < size && start + i < input.length; i++) {
    const byte = input[start + i] as number;
    if (byte !== 0) return (size - i) * 8 - Math.clz32(byte) + 24;
  }
  return 0;
}
