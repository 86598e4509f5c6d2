import { bigintToBytes, bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import type { Exponent } from "./word-power.ts";

/** Multiplications of 64-bit words. */
const WORK_BETWEEN_CHECKS = 400_000;

/**
 * base^exponent mod modulus over numbers of any length, with a window of four bits: one multiplication per four squarings.
 * @param base - big-endian
 * @param modulus - big-endian, not zero
 * @param checkDeadline - called about every millisecond
 * @returns big-endian, without leading zeros
 */
export function longPower(
  base: Uint8Array,
  exponent: Exponent,
  modulus: Uint8Array,
  checkDeadline: () => void,
): Uint8Array {
  const m = bytesToBigint(modulus);
  const pace = pacer(modulus.length, checkDeadline);
  const powers = [1n % m, bytesToBigint(base) % m];
  const power = (index: number): bigint => {
    for (let i = powers.length; i <= index; i++) {
      powers.push(((powers[i - 1] as bigint) * (powers[1] as bigint)) % m);
    }
    return powers[index] as bigint;
  };
  let result = power(0);
  let started = false;
  const step = (digit: number) => {
    for (let i = 0; started && i < 4; i++) {
      pace();
      result = (result * result) % m;
    }
    if (digit === 0) return;
    pace();
    result = (result * power(digit)) % m;
    started = true;
  };
  for (let i = 0; i < exponent.size; i++) {
    const byte = exponent.bytes[i] ?? 0;
    step(byte >>> 4);
    step(byte & 15);
  }
  return bigintToBytes(result);
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
