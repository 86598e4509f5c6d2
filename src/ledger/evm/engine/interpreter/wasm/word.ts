// 256-bit words: four little-endian 64-bit limbs in linear memory. All functions take addresses, the destination
// first; it may be one of the sources. Functions of a few loads and stores are inlined.

/** d = a */
// @ts-ignore: decorator
@inline export function copy(d: usize, a: usize): void {
  v128.store(d, v128.load(a));
  v128.store(d, v128.load(a, 16), 16);
}

/** Exchanges a and b. */
// @ts-ignore: decorator
@inline export function swap(a: usize, b: usize): void {
  const low = v128.load(a), high = v128.load(a, 16);
  copy(a, b);
  v128.store(b, low);
  v128.store(b, high, 16);
}

/** d = value */
// @ts-ignore: decorator
@inline export function set64(d: usize, value: u64): void {
  v128.store(d, i64x2.replace_lane(i64x2.splat(0), 0, value));
  v128.store(d, i64x2.splat(0), 16);
}

/** a = 0 */
// @ts-ignore: decorator
@inline export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0;
}

/** Whether a is below 2^64. */
// @ts-ignore: decorator
@inline export function fits64(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0;
}

/** a = b */
// @ts-ignore: decorator
@inline export function equal(a: usize, b: usize): bool {
  const low = (load<u64>(a) ^ load<u64>(b)) | (load<u64>(a, 8) ^ load<u64>(b, 8));
  const high = (load<u64>(a, 16) ^ load<u64>(b, 16)) | (load<u64>(a, 24) ^ load<u64>(b, 24));
  return (low | high) == 0;
}

/** a < b, both unsigned */
export function less(a: usize, b: usize): bool {
  let x = load<u64>(a, 24), y = load<u64>(b, 24);
  if (x != y) return x < y;
  x = load<u64>(a, 16);
  y = load<u64>(b, 16);
  if (x != y) return x < y;
  x = load<u64>(a, 8);
  y = load<u64>(b, 8);
  if (x != y) return x < y;
  return load<u64>(a) < load<u64>(b);
}

/** a < b, both in two's complement */
export function signedLess(a: usize, b: usize): bool {
  const x = load<i64>(a, 24), y = load<i64>(b, 24);
  return x != y ? x < y : less(a, b);
}

/** Number of bits without leading zeros. */
export function bitLength(a: usize): i32 {
  for (let i = 24; i >= 0; i -= 8) {
    const x = load<u64>(a + i);
    if (x) return i * 8 + 64 - <i32>clz<u64>(x);
  }
  return 0;
}

/** d = a & b */
// @ts-ignore: decorator
@inline export function and(d: usize, a: usize, b: usize): void {
  v128.store(d, v128.and(v128.load(a), v128.load(b)));
  v128.store(d, v128.and(v128.load(a, 16), v128.load(b, 16)), 16);
}

/** d = a | b */
// @ts-ignore: decorator
@inline export function or(d: usize, a: usize, b: usize): void {
  v128.store(d, v128.or(v128.load(a), v128.load(b)));
  v128.store(d, v128.or(v128.load(a, 16), v128.load(b, 16)), 16);
}

/** d = a ^ b */
// @ts-ignore: decorator
@inline export function xor(d: usize, a: usize, b: usize): void {
  v128.store(d, v128.xor(v128.load(a), v128.load(b)));
  v128.store(d, v128.xor(v128.load(a, 16), v128.load(b, 16)), 16);
}

/** d = ~a */
// @ts-ignore: decorator
@inline export function not(d: usize, a: usize): void {
  v128.store(d, v128.not(v128.load(a)));
  v128.store(d, v128.not(v128.load(a, 16)), 16);
}

/** d = a + b modulo 2^256 */
// @ts-ignore: decorator
@inline export function add(d: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a), r0 = a0 + load<u64>(b);
  let carry = u64(r0 < a0);
  const a1 = load<u64>(a, 8), s1 = a1 + load<u64>(b, 8), r1 = s1 + carry;
  carry = u64(s1 < a1) | u64(r1 < s1);
  const a2 = load<u64>(a, 16), s2 = a2 + load<u64>(b, 16), r2 = s2 + carry;
  carry = u64(s2 < a2) | u64(r2 < s2);
  const r3 = load<u64>(a, 24) + load<u64>(b, 24) + carry;
  store<u64>(d, r0);
  store<u64>(d, r1, 8);
  store<u64>(d, r2, 16);
  store<u64>(d, r3, 24);
}

/** d = a - b */
// @ts-ignore: decorator
@inline export function sub(d: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a), b0 = load<u64>(b), r0 = a0 - b0;
  let borrow = u64(a0 < b0);
  const a1 = load<u64>(a, 8), b1 = load<u64>(b, 8), s1 = a1 - b1, r1 = s1 - borrow;
  borrow = u64(a1 < b1) | u64(s1 < borrow);
  const a2 = load<u64>(a, 16), b2 = load<u64>(b, 16), s2 = a2 - b2, r2 = s2 - borrow;
  borrow = u64(a2 < b2) | u64(s2 < borrow);
  const r3 = load<u64>(a, 24) - load<u64>(b, 24) - borrow;
  store<u64>(d, r0);
  store<u64>(d, r1, 8);
  store<u64>(d, r2, 16);
  store<u64>(d, r3, 24);
}

const ZERO: usize = 0x520;

/** d = -a modulo 2^256 */
export function negate(d: usize, a: usize): void {
  set64(ZERO, 0);
  sub(d, ZERO, a);
}

/** Upper 64 bits of a product; WebAssembly has no instruction for it. */
// @ts-ignore: decorator
@inline export function mulHigh(x: u64, y: u64): u64 {
  const xl = x & 0xffffffff, xh = x >> 32, yl = y & 0xffffffff, yh = y >> 32;
  const t = xh * yl + ((xl * yl) >> 32), u = xl * yh + (t & 0xffffffff);
  return xh * yh + (t >> 32) + (u >> 32);
}

/** d = a * b modulo 2^256 */
export function mul(d: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a), b0 = load<u64>(b);
  if (fits64(a) && fits64(b)) {
    store<u64>(d, a0 * b0);
    store<u64>(d, (a0 | b0) >> 32 ? mulHigh(a0, b0) : 0, 8);
    store<u64>(d, 0, 16);
    store<u64>(d, 0, 24);
    return;
  }
  const a1 = load<u64>(a, 8), a2 = load<u64>(a, 16), a3 = load<u64>(a, 24);
  const b1 = load<u64>(b, 8), b2 = load<u64>(b, 16), b3 = load<u64>(b, 24);
  // Sums by column; `spill` collects the carries from column 2 into column 3. A high half is at most 2^64 - 2.
  const r0 = a0 * b0;
  let r1 = mulHigh(a0, b0), low = a0 * b1;
  r1 += low;
  let r2 = mulHigh(a0, b1) + u64(r1 < low);
  low = a1 * b0;
  r1 += low;
  low = mulHigh(a1, b0) + u64(r1 < low);
  r2 += low;
  const spill = u64(r2 < low);
  low = a0 * b2;
  r2 += low;
  let r3 = spill + u64(r2 < low) + mulHigh(a0, b2);
  low = a1 * b1;
  r2 += low;
  r3 += u64(r2 < low) + mulHigh(a1, b1);
  low = a2 * b0;
  r2 += low;
  r3 += u64(r2 < low) + mulHigh(a2, b0);
  r3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  store<u64>(d, r0);
  store<u64>(d, r1, 8);
  store<u64>(d, r2, 16);
  store<u64>(d, r3, 24);
}

/** d = base ^ e by squaring. `d` is neither source; `base` is destroyed. */
export function exp(d: usize, base: usize, e: usize): void {
  set64(d, 1);
  const n = bitLength(e);
  for (let i = 0; i < n; i++) {
    if ((load<u64>(e + ((i >> 6) << 3)) >> (i & 63)) & 1) mul(d, d, base);
    mul(base, base, base);
  }
}

/** Shift left by less than 256 bits. */
export function shl(d: usize, a: usize, n: u32): void {
  const limbs = <i32>(n >> 6), bits = <u64>(n & 63);
  for (let i: i32 = 3; i >= 0; i--) {
    const k = i - limbs;
    let value: u64 = 0;
    if (k >= 0) value = load<u64>(a + (k << 3)) << bits;
    if (bits && k > 0) value |= load<u64>(a + ((k - 1) << 3)) >> (64 - bits);
    store<u64>(d + (i << 3), value);
  }
}

/** Shift right by less than 256 bits, filling with zeros or ones: `fill` is 0 or all ones. */
export function shr(d: usize, a: usize, n: u32, fill: u64): void {
  const limbs = n >> 6, bits = <u64>(n & 63);
  for (let i: u32 = 0; i < 4; i++) {
    const k = i + limbs;
    const low = k < 4 ? load<u64>(a + (k << 3)) : fill, high = k < 3 ? load<u64>(a + ((k + 1) << 3)) : fill;
    store<u64>(d + (i << 3), bits ? (low >> bits) | (high << (64 - bits)) : low);
  }
}

/** Arithmetic shift right by any number of bits. */
export function sar(d: usize, a: usize, n: u64): void {
  const sign = <u64>(load<i64>(a, 24) >> 63);
  if (n <= 255) {
    shr(d, a, <u32>n, sign);
    return;
  }
  for (let i: usize = 0; i < 32; i += 8) store<u64>(d + i, sign);
}

/** Extends the sign of byte k < 31, counted from the least significant one, in place. */
export function signextend(a: usize, k: u64): void {
  const bit = <u32>k * 8 + 7, limb = bit >> 6, keep = (bit & 63) + 1;
  const x = load<u64>(a + (limb << 3)), negative = (x >> (bit & 63)) & 1;
  const mask = keep == 64 ? ~(<u64>0) : (<u64>1 << keep) - 1;
  store<u64>(a + (limb << 3), negative ? x | ~mask : x & mask);
  for (let i = limb + 1; i < 4; i++) store<u64>(a + (i << 3), negative ? ~(<u64>0) : 0);
}

/** The 16 bytes in reverse order. */
// @ts-ignore: decorator
@inline export function reversed(a: v128): v128 {
  return v128.shuffle<u8>(a, a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/** Reverses the 32 bytes: between limbs and the big-endian order of EVM memory, either way. */
// @ts-ignore: decorator
@inline export function swapBytes(d: usize, a: usize): void {
  const low = v128.load(a), high = v128.load(a, 16);
  v128.store(d, reversed(high));
  v128.store(d, reversed(low), 16);
}
