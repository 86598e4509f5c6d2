// Division and modular arithmetic: Knuth's algorithm D on 64-bit digits. WebAssembly divides no 128-bit numbers, so each
// digit of a quotient is a product with a reciprocal of the divisor's one or two highest digits, corrected in at most
// two steps. @see Möller and Granlund, "Improved division by invariant integers", algorithms 2 to 6
import { add, copy, fits64, isZero, less, mulHigh, negate, set64 } from "./word";

/** Dividend of up to eight digits and one zero above them; the two digits below it are always zero. */
const DIVIDEND: usize = 0x410;
const QUOTIENT: usize = 0x460;
const REMAINDER: usize = 0x4a0;
/** Cache of the last divisor's highest digits and their reciprocal, for divisors of one, two, and more digits. */
const RECIPROCAL_1: usize = 0x4c0;
const RECIPROCAL_2: usize = 0x4d0;
const RECIPROCAL_4: usize = 0x4e8;

const LOW: u64 = 0xffffffff;

/** floor((2^128 - 1) / d) - 2^64 for a divisor with its highest bit set, in two steps of 64 by 32 bits. */
function reciprocal(d: u64): u64 {
  const high = d >> 32, low = d & LOW, rest = ~d;
  let q1 = rest / high, r = rest - q1 * high;
  while (q1 > LOW || q1 * low > ((r << 32) | LOW)) {
    q1--;
    r += high;
    if (r > LOW) break;
  }
  const next = ((rest << 32) | LOW) - q1 * d;
  let q0 = next / high;
  r = next - q0 * high;
  while (q0 > LOW || q0 * low > ((r << 32) | LOW)) {
    q0--;
    r += high;
    if (r > LOW) break;
  }
  return (q1 << 32) + q0;
}

/** `reciprocal`, cached at `cache`: loops often divide by the same number. */
function reciprocal1(d: u64, cache: usize): u64 {
  if (load<u64>(cache) == d) return load<u64>(cache, 8);
  const v = reciprocal(d);
  store<u64>(cache, d);
  store<u64>(cache, v, 8);
  return v;
}

/** floor((2^192 - 1) / (d1, d0)) - 2^64 for two digits, the highest bit set, cached at `cache`. */
function reciprocal2(d1: u64, d0: u64, cache: usize): u64 {
  if (load<u64>(cache) == d1 && load<u64>(cache, 8) == d0) return load<u64>(cache, 16);
  let v = reciprocal(d1), p = d1 * v + d0;
  if (p < d0) {
    v--;
    if (p >= d1) {
      v--;
      p -= d1;
    }
    p -= d1;
  }
  const low = v * d0, high = mulHigh(v, d0);
  p += high;
  if (p < high) {
    v--;
    if (p > d1 || (p == d1 && low >= d0)) v--;
  }
  store<u64>(cache, d1);
  store<u64>(cache, d0, 8);
  store<u64>(cache, v, 16);
  return v;
}

/** Digit i of the number at `at`, shifted left by less than 64 bits. */
// @ts-ignore: decorator
@inline function digit(at: usize, i: i32, shift: u64): u64 {
  const p = at + (i << 3);
  return (load<u64>(p) << shift) | (load<u64>(p - 8) >> 1 >> (63 - shift));
}

/** Divides the `n` digits at DIVIDEND, the highest not zero, by one digit. */
function divideBy1(n: i32, divisor: u64): void {
  const shift = clz<u64>(divisor), d = divisor << shift, v = reciprocal1(d, RECIPROCAL_1);
  let r = digit(DIVIDEND, n, shift);
  for (let i = n - 1; i >= 0; i--) {
    const x = digit(DIVIDEND, i, shift), low = v * r + x;
    let q = mulHigh(v, r) + r + u64(low < x) + 1;
    r = x - q * d;
    const over = -u64(r > low);
    q += over;
    r += d & over;
    if (r >= d) {
      q++;
      r -= d;
    }
    store<u64>(QUOTIENT + (i << 3), q);
  }
  store<u64>(REMAINDER, r >> shift);
}

/** Divides the `n` digits at DIVIDEND, n > 1, by two. */
function divideBy2(n: i32, high: u64, low: u64): void {
  const shift = clz<u64>(high), d1 = (high << shift) | (low >> 1 >> (63 - shift)), d0 = low << shift;
  const v = reciprocal2(d1, d0, RECIPROCAL_2);
  let i = n - 2, r1 = digit(DIVIDEND, n, shift), r0 = digit(DIVIDEND, n - 1, shift);
  if (r1 == 0 && r0 < d1) {
    r1 = r0;
    r0 = digit(DIVIDEND, i--, shift);
  }
  for (; i >= 0; i--) {
    const x = digit(DIVIDEND, i, shift), q0 = v * r1 + r0;
    let q = mulHigh(v, r1) + r1 + u64(q0 < r0);
    const t0 = q * d0, u0 = x - t0, s0 = u0 - d0;
    let s1 = r0 - q * d1 - mulHigh(q, d0) - u64(x < t0) - d1 - u64(u0 < d0);
    const over = -u64(s1 >= q0);
    q += 1 + over;
    r0 = s0 + (d0 & over);
    r1 = s1 + (d1 & over) + u64(r0 < s0);
    if (r1 > d1 || (r1 == d1 && r0 >= d0)) {
      q++;
      r1 -= d1 + u64(r0 < d0);
      r0 -= d0;
    }
    store<u64>(QUOTIENT + (i << 3), q);
  }
  store<u64>(REMAINDER, (r0 >> shift) | (r1 << 1 << (63 - shift)));
  store<u64>(REMAINDER, r1 >> shift, 8);
}

/** Divides the `n` digits at `at`, n > 3, by the four of a divisor whose highest digit is not zero; the remainder is written to `rest`. */
function divideBy4(at: usize, n: i32, rest: usize, b3: u64, b2: u64, b1: u64, b0: u64): void {
  const shift = clz<u64>(b3), back = 63 - shift;
  const d3 = (b3 << shift) | (b2 >> 1 >> back), d2 = (b2 << shift) | (b1 >> 1 >> back);
  const d1 = (b1 << shift) | (b0 >> 1 >> back), d0 = b0 << shift;
  const v = reciprocal2(d3, d2, RECIPROCAL_4);
  // Partial remainder: below the divisor, so that the next quotient is a single digit.
  let i = n - 4;
  let r3 = digit(at, n, shift), r2 = digit(at, n - 1, shift), r1 = digit(at, n - 2, shift), r0 = digit(at, n - 3, shift);
  if (r3 == 0 && r2 < d3) {
    r3 = r2;
    r2 = r1;
    r1 = r0;
    r0 = digit(at, i--, shift);
  }
  for (; i >= 0; i--) {
    const x = digit(at, i, shift);
    let q: u64, s1: u64, s0: u64, carry: u64 = 0;
    if (r3 == d3 && r2 == d2) {
      q = u64.MAX_VALUE;
      s0 = r1 + d2;
      s1 = d3 + u64(s0 < d2);
      carry = u64(s1 < d3);
    } else {
      const q0 = v * r3 + r2;
      q = mulHigh(v, r3) + r3 + u64(q0 < r2);
      const t0 = q * d2, u0 = r1 - t0, w0 = u0 - d2, w1 = r2 - q * d3 - mulHigh(q, d2) - u64(r1 < t0) - d3 - u64(u0 < d2);
      const over = -u64(w1 >= q0);
      q += 1 + over;
      s0 = w0 + (d2 & over);
      s1 = w1 + (d3 & over) + u64(s0 < w0);
      if (s1 > d3 || (s1 == d3 && s0 >= d2)) {
        q++;
        s1 -= d3 + u64(s0 < d2);
        s0 -= d2;
      }
    }
    const p0 = q * d0, c0 = mulHigh(q, d0) + u64(x < p0), p1 = q * d1 + c0, c1 = mulHigh(q, d1) + u64(p1 < c0) + u64(r0 < p1);
    const y0 = x - p0, y1 = r0 - p1, y2 = s0 - c1, borrow = u64(s0 < c1), y3 = s1 - borrow;
    if (u64(s1 < borrow) > carry) {
      q--;
      r0 = y0 + d0;
      const k0 = u64(r0 < d0), k1 = y1 + d1, k2 = y2 + d2;
      r1 = k1 + k0;
      const e1 = u64(k1 < d1) | u64(r1 < k0);
      r2 = k2 + e1;
      r3 = y3 + d3 + (u64(k2 < d2) | u64(r2 < e1));
    } else {
      r0 = y0;
      r1 = y1;
      r2 = y2;
      r3 = y3;
    }
    store<u64>(QUOTIENT + (i << 3), q);
  }
  store<u64>(rest, (r0 >> shift) | (r1 << 1 << back));
  store<u64>(rest, (r1 >> shift) | (r2 << 1 << back), 8);
  store<u64>(rest, (r2 >> shift) | (r3 << 1 << back), 16);
  store<u64>(rest, r3 >> shift, 24);
}

/** Divides the `n` digits at DIVIDEND, one zero above them, by the word at b, which is not zero; to QUOTIENT and REMAINDER. */
function divide(n: i32, b: usize): void {
  while (n > 0 && load<u64>(DIVIDEND + ((n - 1) << 3)) == 0) n--;
  set64(QUOTIENT, 0);
  const b3 = load<u64>(b, 24), b2 = load<u64>(b, 16), b1 = load<u64>(b, 8), b0 = load<u64>(b);
  if (b3) {
    if (n < 4) copy(REMAINDER, DIVIDEND);
    else divideBy4(DIVIDEND, n, REMAINDER, b3, b2, b1, b0);
  } else if (b2) {
    // Append a zero digit below both dividend and divisor.
    if (n < 3) copy(REMAINDER, DIVIDEND);
    else divideBy4(DIVIDEND - 8, n + 1, REMAINDER - 8, b2, b1, b0, 0);
    store<u64>(REMAINDER, 0, 24);
  } else {
    set64(REMAINDER, 0);
    if (b1 == 0) divideBy1(n, b0);
    else if (n < 2) copy(REMAINDER, DIVIDEND);
    else divideBy2(n, b1, b0);
  }
}

/** Quotient to `q` and remainder to `r` (0 = not needed) of a and b; division by zero yields 0. */
export function udivmod(q: usize, r: usize, a: usize, b: usize): void {
  if (fits64(b)) {
    const y = load<u64>(b);
    if (y == 0 || fits64(a)) {
      const x = load<u64>(a), z = y ? x / y : 0;
      if (q) set64(q, z);
      if (r) set64(r, y ? x - z * y : 0);
      return;
    }
  }
  copy(DIVIDEND, a);
  store<u64>(DIVIDEND, 0, 32);
  divide(4, b);
  if (q) copy(q, QUOTIENT);
  if (r) copy(r, REMAINDER);
}

/** `udivmod` of signed words: truncates towards zero, the remainder has the dividend's sign. Changes a and b. */
export function sdivmod(q: usize, r: usize, a: usize, b: usize): void {
  const negativeA = load<i64>(a, 24) < 0, negativeB = load<i64>(b, 24) < 0;
  if (negativeA) negate(a, a);
  if (negativeB) negate(b, b);
  udivmod(q, r, a, b);
  if (q && negativeA != negativeB) negate(q, q);
  if (r && negativeA) negate(r, r);
}

/** (a + b) mod n without an overflow; 0 when n is 0. */
export function addmod(d: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    set64(d, 0);
    return;
  }
  add(DIVIDEND, a, b);
  store<u64>(DIVIDEND, u64(less(DIVIDEND, a)), 32);
  store<u64>(DIVIDEND, 0, 40);
  divide(5, n);
  copy(d, REMAINDER);
}

/** a * b mod n over the full product of 512 bits; 0 when n is 0. */
export function mulmod(d: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    set64(d, 0);
    return;
  }
  multiply(a, b);
  const n0 = load<u64>(n);
  if (n0 && (load<u64>(n, 8) & load<u64>(n, 16) & load<u64>(n, 24)) == u64.MAX_VALUE) {
    fold(d, -n0);
    return;
  }
  divide(8, n);
  copy(d, REMAINDER);
}

/**
 * The 512 bits at DIVIDEND modulo 2^256 - c, to d, using 2^256 ≡ c. Such moduli are that of secp256k1, and 2^256 - 1, with which
 * contracts compute the upper half of a product.
 */
function fold(d: usize, c: u64): void {
  let low: u64, high: u64 = 0;
  for (let i: usize = DIVIDEND; i < DIVIDEND + 32; i += 8) {
    const x = load<u64>(i, 32), y = load<u64>(i);
    low = x * c + high;
    high = mulHigh(x, c) + u64(low < high);
    low += y;
    high += u64(low < y);
    store<u64>(i, low);
  }
  let r0 = load<u64>(DIVIDEND), r1 = load<u64>(DIVIDEND, 8), r2 = load<u64>(DIVIDEND, 16), r3 = load<u64>(DIVIDEND, 24);
  // Fold the fifth digit too; if that carries, less than 2^128 is left, so that c can be added again.
  low = high * c;
  r0 += low;
  high = mulHigh(high, c) + u64(r0 < low);
  r1 += high;
  let carry = u64(r1 < high);
  r2 += carry;
  carry = u64(r2 < carry);
  r3 += carry;
  carry = u64(r3 < carry);
  // Add c if it carried, or if the rest is not below the modulus.
  if (carry || ((r1 & r2 & r3) == u64.MAX_VALUE && r0 >= -c)) {
    r0 += c;
    carry = u64(r0 < c);
    r1 += carry;
    carry = u64(r1 < carry);
    r2 += carry;
    r3 += u64(r2 < carry);
  }
  store<u64>(d, r0);
  store<u64>(d, r1, 8);
  store<u64>(d, r2, 16);
  store<u64>(d, r3, 24);
}

/** The product of 512 bits to DIVIDEND, row by row in digits of 32 bits: their products leave room for two carries. */
function multiply(a: usize, b: usize): void {
  const b0 = <u64>load<u32>(b), b1 = <u64>load<u32>(b, 4), b2 = <u64>load<u32>(b, 8), b3 = <u64>load<u32>(b, 12);
  const b4 = <u64>load<u32>(b, 16), b5 = <u64>load<u32>(b, 20), b6 = <u64>load<u32>(b, 24), b7 = <u64>load<u32>(b, 28);
  let t0: u64 = 0, t1: u64 = 0, t2: u64 = 0, t3: u64 = 0, t4: u64 = 0, t5: u64 = 0, t6: u64 = 0, t7: u64 = 0;
  for (let i: usize = 0; i < 32; i += 4) {
    const x = <u64>load<u32>(a + i);
    let sum = x * b0 + t0;
    store<u32>(DIVIDEND + i, <u32>sum);
    sum = (sum >> 32) + x * b1 + t1;
    t0 = sum & LOW;
    sum = (sum >> 32) + x * b2 + t2;
    t1 = sum & LOW;
    sum = (sum >> 32) + x * b3 + t3;
    t2 = sum & LOW;
    sum = (sum >> 32) + x * b4 + t4;
    t3 = sum & LOW;
    sum = (sum >> 32) + x * b5 + t5;
    t4 = sum & LOW;
    sum = (sum >> 32) + x * b6 + t6;
    t5 = sum & LOW;
    sum = (sum >> 32) + x * b7 + t7;
    t6 = sum & LOW;
    t7 = sum >> 32;
  }
  store<u64>(DIVIDEND, t0 | (t1 << 32), 32);
  store<u64>(DIVIDEND, t2 | (t3 << 32), 40);
  store<u64>(DIVIDEND, t4 | (t5 << 32), 48);
  store<u64>(DIVIDEND, t6 | (t7 << 32), 56);
}
