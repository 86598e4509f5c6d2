import { EMPTY_BYTES, leftPad, trimLeadingZeros } from "../../../../protocol/primitives/bytes.ts";
import { vmError } from "../../failures.ts";
import type { Precompile } from "../../precompile.ts";
import { paddedSlice } from "../input.ts";
import { type Formula, GENESIS, KORE, modexpGas, OSAKA, UNPAYABLE, wordPowerPrice } from "./gas.ts";
import { HEADER, headBits, type Lengths, lengthsOf } from "./lengths.ts";
import { longPower } from "./long-power.ts";
import { WORD_BYTES, wordPower } from "./word-power.ts";

const TOO_LONG = vmError("one or more of base/exponent/modulus length exceeded 1024 bytes");

/** base^exponent mod modulus over numbers of any length (address 0x05). @see EIP-198 */
export const modexp = priced(GENESIS);
/** The same with the prices of kore. @see EIP-2565 */
export const modexpKore = priced(KORE);
/** The same with the prices of osaka and lengths of at most 1024 bytes. @see EIP-7883, EIP-7823 */
export const modexpOsaka = priced(OSAKA, 1024n);

function priced(formula: Formula, maxLength?: bigint): Precompile {
  const gasOf = pricer(formula);
  return {
    name: "MODEXP",
    wordPower: wordPowerPrice(formula),
    gas: gasOf,
    computation(input) {
      const gas = gasOf(input);
      // Before osaka the reference node adds 2^64 − 1 to a 64-bit sum here, which wraps around to minus one.
      if (gas === UNPAYABLE && formula !== OSAKA) return -1n;
      return gas / 100n + 100n;
    },
    run(input, { checkDeadline }) {
      const lengths = lengthsOf(input);
      const { base, exponent, modulus } = lengths;
      if (maxLength !== undefined && (base > maxLength || exponent > maxLength || modulus > maxLength)) {
        return TOO_LONG;
      }
      return base === 0n && modulus === 0n ? EMPTY_BYTES : power(input, lengths, checkDeadline);
    },
  };
}

/** The price of an input. That of the last lengths is kept, because gas and computation cost are asked for in turn, often in loops. */
function pricer(formula: Formula): (input: Uint8Array) => bigint {
  let last: Lengths | undefined;
  let lastBits = 0;
  let gas = 0n;
  return (input) => {
    const lengths = lengthsOf(input);
    const bits = headBits(input, lengths);
    if (lengths !== last || bits !== lastBits) {
      gas = modexpGas(lengths, bits, formula);
      last = lengths;
      lastBits = bits;
    }
    return gas;
  };
}

function power(input: Uint8Array, lengths: Lengths, checkDeadline: () => void): Uint8Array {
  const size = Number(lengths.modulus);
  const baseEnd = HEADER + Number(lengths.base);
  const exponentSize = Number(lengths.exponent);
  const modulus = trimLeadingZeros(paddedSlice(input, baseEnd + exponentSize, size));
  if (modulus.length === 0) return new Uint8Array(size);
  const base = trimLeadingZeros(paddedSlice(input, HEADER, baseEnd - HEADER));
  const exponent = { bytes: input.subarray(baseEnd), size: exponentSize };
  return modulus.length <= WORD_BYTES
    ? fitted(wordPower(base, exponent, modulus, checkDeadline), size)
    : fitted(longPower(base, exponent, modulus, checkDeadline), size);
}

/** A number as exactly `size` bytes, of which it needs no more. */
function fitted(bytes: Uint8Array, size: number): Uint8Array {
  return bytes.length > size ? bytes.subarray(bytes.length - size) : leftPad(bytes, size);
}
