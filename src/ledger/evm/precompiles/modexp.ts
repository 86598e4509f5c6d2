import { bigintToBytes, bytesToBigint, EMPTY_BYTES, leftPad } from "../../../protocol/primitives/bytes.ts";
import { vmError } from "../failures.ts";
import type { Precompile } from "../precompile.ts";
import { paddedSlice } from "./input.ts";
import { type Formula, GENESIS, KORE, type Lengths, modexpGas, OSAKA, UNPAYABLE } from "./modexp-gas.ts";

const HEADER = 96;
/** Multiplications of 64-bit words. */
const WORK_BETWEEN_CHECKS = 400_000;
const TOO_LONG = vmError("one or more of base/exponent/modulus length exceeded 1024 bytes");

/** base^exponent mod modulus over numbers of any length (address 0x05). @see EIP-198 */
export const modexp = priced(GENESIS);
/** The same with the prices of kore. @see EIP-2565 */
export const modexpKore = priced(KORE);
/** The same with the prices of osaka and lengths of at most 1024 bytes. @see EIP-7883, EIP-7823 */
export const modexpOsaka = priced(OSAKA, 1024n);

function priced(formula: Formula, maxLength?: bigint): Precompile {
  return {
    name: "MODEXP",
    gas: (input) => modexpGas(lengthsOf(input), exponentHead(input), formula),
    computation(input) {
      const gas = modexpGas(lengthsOf(input), exponentHead(input), formula);
      // Before osaka the reference node adds 2^64 − 1 to a 64-bit sum here, which wraps around to minus one.
      if (gas === UNPAYABLE && formula !== OSAKA) return -1n;
      return gas / 100n + 100n;
    },
    run(input, { checkDeadline }) {
      const lengths = lengthsOf(input);
      const { base, exponent, modulus } = lengths;
      if (maxLength !== undefined && [base, exponent, modulus].some((length) => length > maxLength)) {
        return TOO_LONG;
      }
      return base === 0n && modulus === 0n ? EMPTY_BYTES : power(input, lengths, checkDeadline);
    },
  };
}

function power(input: Uint8Array, lengths: Lengths, checkDeadline: () => void): Uint8Array {
  const size = Number(lengths.modulus);
  const baseEnd = HEADER + Number(lengths.base);
  const exponentEnd = baseEnd + Number(lengths.exponent);
  const modulus = bytesToBigint(paddedSlice(input, exponentEnd, size));
  if (modulus === 0n) return new Uint8Array(size);
  const base = bytesToBigint(paddedSlice(input, HEADER, Number(lengths.base)));
  const exponent = paddedSlice(input, baseEnd, Number(lengths.exponent));
  return leftPad(bigintToBytes(modularPower(base, exponent, modulus, pacer(size, checkDeadline))), size);
}

function lengthsOf(input: Uint8Array): Lengths {
  return {
    base: bytesToBigint(paddedSlice(input, 0, 32)),
    exponent: bytesToBigint(paddedSlice(input, 32, 32)),
    modulus: bytesToBigint(paddedSlice(input, 64, 32)),
  };
}

/** The first 32 bytes (fewer when it is shorter) of the exponent as a number. */
function exponentHead(input: Uint8Array): bigint {
  const { base, exponent } = lengthsOf(input);
  if (BigInt(input.length) <= BigInt(HEADER) + base) return 0n;
  const size = exponent > 32n ? 32 : Number(exponent);
  return bytesToBigint(paddedSlice(input, HEADER + Number(base), size));
}

/**
 * base^exponent mod modulus with a window of four bits: one multiplication per four squarings.
 * @param pace - called before each multiplication
 */
function modularPower(base: bigint, exponent: Uint8Array, modulus: bigint, pace: () => void): bigint {
  const powers = [1n % modulus, base % modulus];
  const power = (index: number): bigint => {
    for (let i = powers.length; i <= index; i++) {
      powers.push(((powers[i - 1] as bigint) * (powers[1] as bigint)) % modulus);
    }
    return powers[index] as bigint;
  };
  let result = power(0);
  let started = false;
  const step = (digit: number) => {
    for (let i = 0; started && i < 4; i++) {
      pace();
      result = (result * result) % modulus;
    }
    if (digit === 0) return;
    pace();
    result = (result * power(digit)) % modulus;
    started = true;
  };
  for (const byte of exponent) {
    step(byte >>> 4);
    step(byte & 15);
  }
  return result;
}

/** Checks the deadline about every millisecond of multiplications of numbers of `size` bytes. */
function pacer(size: number, checkDeadline: () => void): () => void {
  const words = size / 8;
  const period = Math.ceil(WORK_BETWEEN_CHECKS / (64 + words * words));
  let left = 0;
  return () => {
    if (left-- > 0) return;
    left = period;
    checkDeadline();
  };
}
