import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import type { WordPowerPrice } from "../../precompile.ts";
import type { Lengths } from "./lengths.ts";

/** More gas than anyone can pay: the formula has exceeded 64 bits. */
export const UNPAYABLE = MAX_UINT64;

/** Gas of a modular exponentiation. @param headBits - bits of the first 32 bytes of the exponent */
export function modexpGas(lengths: Lengths, headBits: number, formula: Formula): bigint {
  const longest = min64(larger(lengths.base, lengths.modulus));
  const complexity = formula.complexity(longest);
  const iterations = iterationCount(min64(lengths.exponent), headBits, formula.bitsPerByte);
  if (complexity > MAX_UINT64) return UNPAYABLE;
  const product = complexity * iterations;
  if (product > MAX_UINT64) return UNPAYABLE;
  return larger(product / formula.divisor, formula.minimum);
}

/** Gas formula of a fork. */
export interface Formula {
  /** Cost of one multiplication of numbers of `x` bytes. */
  complexity(x: bigint): bigint;
  readonly bitsPerByte: bigint;
  readonly divisor: bigint;
  readonly minimum: bigint;
}

/** Prices from genesis on. @see EIP-198 */
export const GENESIS: Formula = {
  complexity(x) {
    if (x <= 64n) return x * x;
    if (x <= 1024n) return (x * x) / 4n + 96n * x - 3072n;
    return x * x > MAX_UINT64 ? x * x : (x * x) / 16n + 480n * x - 199_680n;
  },
  bitsPerByte: 8n,
  divisor: 20n,
  minimum: 0n,
};

/** Prices from kore on. @see EIP-2565 */
export const KORE: Formula = {
  complexity: (x) => ((x + 7n) / 8n) ** 2n,
  bitsPerByte: 8n,
  divisor: 3n,
  minimum: 200n,
};

/** Prices from osaka on. @see EIP-7883 */
export const OSAKA: Formula = {
  complexity: (x) => (x <= 32n ? 16n : 2n * ((x + 7n) / 8n) ** 2n),
  bitsPerByte: 16n,
  divisor: 1n,
  minimum: 500n,
};

function iterationCount(exponentLength: bigint, headBits: number, bitsPerByte: bigint): bigint {
  const tail = exponentLength > 32n ? min64((exponentLength - 32n) * bitsPerByte) : 0n;
  const bits = BigInt(Math.max(headBits - 1, 0));
  return larger(min64(tail + bits), 1n);
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function min64(value: bigint): bigint {
  return value < MAX_UINT64 ? value : MAX_UINT64;
}

/** The price of numbers of up to a word, for the interpreter. */
export function wordPowerPrice(formula: Formula): WordPowerPrice {
  const { complexity, divisor, minimum } = formula;
  const words = { base: 32n, exponent: 32n, modulus: 32n };
  return {
    complexity: Array.from({ length: 33 }, (_, size) => Number(complexity(BigInt(size)))),
    divisor: Number(divisor),
    minimum: Number(minimum),
    maximum: Number(modexpGas(words, 256, formula)),
  };
}
