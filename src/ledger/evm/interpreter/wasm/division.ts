// Division and modular arithmetic: Knuth's algorithm D on 64-bit digits. The step of two digits by one multiplies by a
// reciprocal that is computed once per divisor, because WebAssembly divides no 128-bit numbers. @see Möller and
// Granlund, "Improved division by invariant integers"
import { add, copy, fits64, isZero, less, mulHigh, negate, set64 } from "./word";

/** Scratch: dividend of up to nine digits, divisor of four, quotient. */
const DIVIDEND: usize = 0x400;
const DIVISOR: usize = 0x460;
const QUOTIENT: usize = 0x500;

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

/** Second result of `divide2by1`. */
let remainder: u64 = 0;

/** Quotient of the digits u1, u0 by d, whose reciprocal is v; u1 < d. */
// @ts-ignore: decorator
@inline function divide2by1(u1: u64, u0: u64, d: u64, v: u64): u64 {
  let q0 = v * u1, q1 = mulHigh(v, u1);
  q0 += u0;
  q1 += u1 + u64(q0 < u0) + 1;
  let r = u0 - q1 * d;
  if (r > q0) {
    q1--;
    r += d;
  }
  if (r >= d) {
    q1++;
    r -= d;
  }
  remainder = r;
  return q1;
}

/** Shifts `n` digits left by 1 to 63 bits; what leaves the last one is returned. */
function shiftLeft(at: usize, n: i32, bits: u64): u64 {
  const out = load<u64>(at + ((n - 1) << 3)) >> (64 - bits);
  for (let i = n - 1; i > 0; i--) {
    store<u64>(at + (i << 3), (load<u64>(at + (i << 3)) << bits) | (load<u64>(at + ((i - 1) << 3)) >> (64 - bits)));
  }
  store<u64>(at, load<u64>(at) << bits);
  return out;
}

/** Subtracts q times the `m`-digit divisor from the digits at `at`; returns the borrow out of digit m. */
// @ts-ignore: decorator
@inline function subtractProduct(at: usize, m: i32, q: u64): u64 {
  let carry: u64 = 0;
  for (let i = 0; i < m; i++) {
    const y = load<u64>(DIVISOR + (i << 3));
    let low = q * y, high = mulHigh(q, y);
    low += carry;
    high += u64(low < carry);
    const x = load<u64>(at + (i << 3));
    store<u64>(at + (i << 3), x - low);
    carry = high + u64(x < low);
  }
  return carry;
}

/** Adds the `m`-digit divisor back to the digits at `at`. */
function addBack(at: usize, m: i32): void {
  let carry: u64 = 0;
  for (let i = 0; i < m; i++) {
    const x = load<u64>(at + (i << 3)), sum = x + load<u64>(DIVISOR + (i << 3)), next = sum + carry;
    carry = u64(sum < x) | u64(next < sum);
    store<u64>(at + (i << 3), next);
  }
  store<u64>(at + (m << 3), load<u64>(at + (m << 3)) + carry);
}

/**
 * Divides the `n` digits at DIVIDEND (with room for one more) by the `m` at DIVISOR, which is not zero. The quotient's
 * digits go to `quotient` unless that is 0, the remainder stays in place of the dividend.
 */
function divide(n: i32, m: i32, quotient: usize): void {
  while (load<u64>(DIVISOR + ((m - 1) << 3)) == 0) m--;
  while (n > 0 && load<u64>(DIVIDEND + ((n - 1) << 3)) == 0) n--;
  if (n < m) return;
  const shift = clz<u64>(load<u64>(DIVISOR + ((m - 1) << 3)));
  if (shift) {
    shiftLeft(DIVISOR, m, shift);
    store<u64>(DIVIDEND + (n << 3), shiftLeft(DIVIDEND, n, shift));
  } else store<u64>(DIVIDEND + (n << 3), 0);
  const top = load<u64>(DIVISOR + ((m - 1) << 3)), second = m > 1 ? load<u64>(DIVISOR + ((m - 2) << 3)) : 0;
  const v = reciprocal(top);
  for (let j = n - m; j >= 0; j--) {
    const at = DIVIDEND + (j << 3), u2 = load<u64>(at + (m << 3)), u1 = load<u64>(at + ((m - 1) << 3));
    let q: u64, r: u64, small = true;
    if (u2 >= top) {
      q = u64.MAX_VALUE;
      r = u1 + top;
      small = r >= top;
    } else {
      q = divide2by1(u2, u1, top, v);
      r = remainder;
    }
    if (m > 1) {
      const u0 = load<u64>(at + ((m - 2) << 3));
      while (small) {
        const high = mulHigh(q, second), low = q * second;
        if (high < r || (high == r && low <= u0)) break;
        q--;
        r += top;
        small = r >= top;
      }
    }
    const borrow = subtractProduct(at, m, q);
    store<u64>(at + (m << 3), u2 - borrow);
    if (u2 < borrow) {
      q--;
      addBack(at, m);
    }
    if (quotient) store<u64>(quotient + (j << 3), q);
  }
  if (shift) {
    for (let i = 0; i < m; i++) {
      const low = load<u64>(DIVIDEND + (i << 3)) >> shift, high = load<u64>(DIVIDEND + ((i + 1) << 3)) << (64 - shift);
      store<u64>(DIVIDEND + (i << 3), low | high);
    }
  }
}

/** Quotient to `q` and remainder to `r` (0 = not wanted) of a and b; division by zero gives 0. */
export function udivmod(q: usize, r: usize, a: usize, b: usize): void {
  if (isZero(b)) {
    if (q) set64(q, 0);
    if (r) set64(r, 0);
    return;
  }
  if (fits64(a) && fits64(b)) {
    const x = load<u64>(a), y = load<u64>(b), z = x / y;
    if (q) set64(q, z);
    if (r) set64(r, x - z * y);
    return;
  }
  copy(DIVIDEND, a);
  copy(DIVISOR, b);
  if (q) {
    set64(QUOTIENT, 0);
    divide(4, 4, QUOTIENT);
    copy(q, QUOTIENT);
  } else divide(4, 4, 0);
  if (r) copy(r, DIVIDEND);
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
  store<u64>(DIVIDEND + 32, u64(less(DIVIDEND, a)));
  copy(DIVISOR, n);
  divide(5, 4, 0);
  copy(d, DIVIDEND);
}

/** a * b mod n over the full product of 512 bits; 0 when n is 0. */
export function mulmod(d: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    set64(d, 0);
    return;
  }
  memory.fill(DIVIDEND, 0, 68);
  for (let i: usize = 0; i < 32; i += 4) {
    const x = <u64>load<u32>(a + i);
    if (x == 0) continue;
    let carry: u64 = 0;
    for (let j: usize = 0; j < 32; j += 4) {
      carry += x * load<u32>(b + j) + load<u32>(DIVIDEND + i + j);
      store<u32>(DIVIDEND + i + j, <u32>carry);
      carry >>= 32;
    }
    store<u32>(DIVIDEND + i + 32, <u32>carry);
  }
  copy(DIVISOR, n);
  divide(8, 4, 0);
  copy(d, DIVIDEND);
}
