import { CURVE_ORDER } from "../curve.ts";

/**
 * Scalars modulo the order n of the group. A scalar k is parted in two halves with k = k1 + k2·λ, where λ·(x, y) = (β·x, y) for every
 * point. Both halves are made odd, so that a signed digit is never 0.
 * @see Guide to Elliptic Curve Cryptography, Hankerson, Menezes, Vanstone, section 3.5
 */

/** A basis of the lattice of pairs with a + b·λ = 0 modulo n. Of the first vector both are odd, of the second only b. */
const A1 = 0x3086d221a7d46bcde86c90e49284eb15n;
const B1 = -0xe4437ed6010e88286f547fa90abfe4c3n;
const A2 = 0x114ca50f7a8e2f3f657c1108d9d44cfd8n;
const B2 = A1;
/** 2^384·B2/n and -2^384·B1/n, rounded. */
const SHIFT = 384n;
const ROUNDED_1 = ((B2 << SHIFT) + CURVE_ORDER / 2n) / CURVE_ORDER;
const ROUNDED_2 = ((-B1 << SHIFT) + CURVE_ORDER / 2n) / CURVE_ORDER;
const ROUND = 1n << (SHIFT - 1n);

/** The inverses of numbers below n that are not 0, at the price of one and three multiplications each. */
export function invertAll(values: readonly bigint[]): bigint[] {
  const before: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    before.push(product);
    product = (product * value) % CURVE_ORDER;
  }
  let inverse = invert(product);
  const inverses = new Array<bigint>(values.length);
  for (let i = values.length - 1; i >= 0; i--) {
    inverses[i] = (inverse * (before[i] as bigint)) % CURVE_ORDER;
    inverse = (inverse * (values[i] as bigint)) % CURVE_ORDER;
  }
  return inverses;
}

/** Euclid's algorithm, two steps at a time: swapping numbers by destructuring takes as long as the arithmetic until V8 has optimised it. */
function invert(value: bigint): bigint {
  let a = CURVE_ORDER;
  let b = value;
  let x = 0n;
  let y = 1n;
  while (b !== 0n) {
    const quotient = a / b;
    a -= quotient * b;
    x -= quotient * y;
    if (a === 0n) return y < 0n ? y + CURVE_ORDER : y;
    const next = b / a;
    b -= next * a;
    y -= next * x;
  }
  return x < 0n ? x + CURVE_ORDER : x;
}

/** Odd halves of a scalar below n, each below 2^130 in magnitude. */
export function splitScalar(k: bigint): readonly [bigint, bigint] {
  const c1 = (k * ROUNDED_1 + ROUND) >> SHIFT;
  const c2 = (k * ROUNDED_2 + ROUND) >> SHIFT;
  let k1 = k - c1 * A1 - c2 * A2;
  let k2 = -c1 * B1 - c2 * B2;
  if ((k1 & 1n) === 0n) {
    k1 += A1;
    k2 += B1;
  }
  if ((k2 & 1n) === 0n) {
    k1 += A2;
    k2 += B2;
  }
  return [k1, k2];
}

/** A scalar below n as an odd number of the same class, n or less in magnitude. */
export function madeOdd(k: bigint): bigint {
  return (k & 1n) === 1n ? k : k - CURVE_ORDER;
}
