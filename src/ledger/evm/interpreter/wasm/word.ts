// 256-bit words: 4 little-endian u64 limbs in linear memory. All functions take addresses; the destination may alias a source.
// @inline is used only where the body is a few loads and stores.

// Scratch for long division: dividend 9 digits of 64 bits, divisor 4, quotient, temporary.
const U: usize = 0x400, V: usize = 0x460, T1: usize = 0x500, T2: usize = 0x520;

// @ts-ignore: decorator
@inline export function copy(d: usize, s: usize): void { v128.store(d, v128.load(s)); v128.store(d, v128.load(s, 16), 16); }
// @ts-ignore: decorator
@inline export function set64(d: usize, v: u64): void { store<u64>(d, v); store<u64>(d, 0, 8); store<u64>(d, 0, 16); store<u64>(d, 0, 24); }
// @ts-ignore: decorator
@inline export function isZero(a: usize): bool { return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0; }
// @ts-ignore: decorator
@inline export function fits64(a: usize): bool { return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0; }
// @ts-ignore: decorator
@inline export function equal(a: usize, b: usize): bool {
  return ((load<u64>(a) ^ load<u64>(b)) | (load<u64>(a, 8) ^ load<u64>(b, 8)) | (load<u64>(a, 16) ^ load<u64>(b, 16)) | (load<u64>(a, 24) ^ load<u64>(b, 24))) == 0;
}
export function less(a: usize, b: usize): bool {
  let x = load<u64>(a, 24), y = load<u64>(b, 24); if (x != y) return x < y;
  x = load<u64>(a, 16); y = load<u64>(b, 16); if (x != y) return x < y;
  x = load<u64>(a, 8); y = load<u64>(b, 8); if (x != y) return x < y;
  return load<u64>(a) < load<u64>(b);
}
export function signedLess(a: usize, b: usize): bool {
  const x = load<i64>(a, 24), y = load<i64>(b, 24); if (x != y) return x < y;
  return less(a, b);
}
// @ts-ignore: decorator
@inline export function add(d: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a), r0 = a0 + load<u64>(b); let c = u64(r0 < a0);
  const a1 = load<u64>(a, 8), s1 = a1 + load<u64>(b, 8), r1 = s1 + c; c = u64(s1 < a1) | u64(r1 < s1);
  const a2 = load<u64>(a, 16), s2 = a2 + load<u64>(b, 16), r2 = s2 + c; c = u64(s2 < a2) | u64(r2 < s2);
  const r3 = load<u64>(a, 24) + load<u64>(b, 24) + c;
  store<u64>(d, r0); store<u64>(d, r1, 8); store<u64>(d, r2, 16); store<u64>(d, r3, 24);
}
// @ts-ignore: decorator
@inline export function sub(d: usize, a: usize, b: usize): void { // d = a - b
  const a0 = load<u64>(a), b0 = load<u64>(b), r0 = a0 - b0; let c = u64(a0 < b0);
  const a1 = load<u64>(a, 8), b1 = load<u64>(b, 8), s1 = a1 - b1, r1 = s1 - c; c = u64(a1 < b1) | u64(s1 < c);
  const a2 = load<u64>(a, 16), b2 = load<u64>(b, 16), s2 = a2 - b2, r2 = s2 - c; c = u64(a2 < b2) | u64(s2 < c);
  const r3 = load<u64>(a, 24) - load<u64>(b, 24) - c;
  store<u64>(d, r0); store<u64>(d, r1, 8); store<u64>(d, r2, 16); store<u64>(d, r3, 24);
}
export function neg(d: usize, a: usize): void { set64(T2, 0); sub(d, T2, a); }

// @ts-ignore: decorator
@inline function mulhi(x: u64, y: u64): u64 {
  const xl = x & 0xffffffff, xh = x >> 32, yl = y & 0xffffffff, yh = y >> 32;
  const t = xh * yl + ((xl * yl) >> 32), u = xl * yh + (t & 0xffffffff);
  return xh * yh + (t >> 32) + (u >> 32);
}
export function mul(d: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a), b0 = load<u64>(b);
  if (fits64(a) && fits64(b)) {
    store<u64>(d, a0 * b0); store<u64>(d, (a0 | b0) >> 32 ? mulhi(a0, b0) : 0, 8); store<u64>(d, 0, 16); store<u64>(d, 0, 24); return;
  }
  const a1 = load<u64>(a, 8), a2 = load<u64>(a, 16), a3 = load<u64>(a, 24), b1 = load<u64>(b, 8), b2 = load<u64>(b, 16), b3 = load<u64>(b, 24);
  // column sums; c collects what spills over into the next column
  let r0 = a0 * b0, r1 = mulhi(a0, b0), c2: u64 = 0, r2: u64, r3: u64, lo: u64;
  lo = a0 * b1; r1 += lo; r2 = mulhi(a0, b1) + u64(r1 < lo);                    // hi <= 2^64-2, no overflow
  lo = a1 * b0; r1 += lo; lo = mulhi(a1, b0) + u64(r1 < lo); r2 += lo; c2 = u64(r2 < lo);
  lo = a0 * b2; r2 += lo; r3 = c2 + u64(r2 < lo) + mulhi(a0, b2);
  lo = a1 * b1; r2 += lo; r3 += u64(r2 < lo) + mulhi(a1, b1);
  lo = a2 * b0; r2 += lo; r3 += u64(r2 < lo) + mulhi(a2, b0);
  r3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  store<u64>(d, r0); store<u64>(d, r1, 8); store<u64>(d, r2, 16); store<u64>(d, r3, 24);
}

// Long division (Knuth D) on u64 digits; the 128-by-64 step uses a precomputed reciprocal, so there is no hardware division per digit.
let rem: u64 = 0; // second result of div2by1
/** floor((2^128 - 1) / d) - 2^64 for a normalised d, by two 64-by-32 steps. */
function reciprocal(d: u64): u64 {
  const dh = d >> 32, dl = d & 0xffffffff, u1 = ~d;
  let q1 = u1 / dh, r = u1 - q1 * dh;
  while (q1 > 0xffffffff || q1 * dl > ((r << 32) | 0xffffffff)) { q1--; r += dh; if (r > 0xffffffff) break; }
  const u21 = ((u1 << 32) | 0xffffffff) - q1 * d;
  let q0 = u21 / dh; r = u21 - q0 * dh;
  while (q0 > 0xffffffff || q0 * dl > ((r << 32) | 0xffffffff)) { q0--; r += dh; if (r > 0xffffffff) break; }
  return (q1 << 32) + q0;
}
// @ts-ignore: decorator
@inline function div2by1(u1: u64, u0: u64, d: u64, v: u64): u64 { // u1 < d
  let q0 = v * u1, q1 = mulhi(v, u1);
  q0 += u0; q1 += u1 + u64(q0 < u0) + 1;
  let r = u0 - q1 * d;
  if (r > q0) { q1--; r += d; }
  if (r >= d) { q1++; r -= d; }
  rem = r; return q1;
}
// U holds n digits (dividend) and has room for one more, V m digits; quotient (n-m+1 digits) to q if q != 0; remainder stays in U.
function divWords(n: i32, m: i32, q: usize): void {
  while (m > 0 && load<u64>(V + ((m - 1) << 3)) == 0) m--;
  while (n > 0 && load<u64>(U + ((n - 1) << 3)) == 0) n--;
  if (n < m) return;
  const s = clz<u64>(load<u64>(V + ((m - 1) << 3)));
  if (s) {
    for (let i = m - 1; i > 0; i--) store<u64>(V + (i << 3), (load<u64>(V + (i << 3)) << s) | (load<u64>(V + ((i - 1) << 3)) >> (64 - s)));
    store<u64>(V, load<u64>(V) << s);
    store<u64>(U + (n << 3), load<u64>(U + ((n - 1) << 3)) >> (64 - s));
    for (let i = n - 1; i > 0; i--) store<u64>(U + (i << 3), (load<u64>(U + (i << 3)) << s) | (load<u64>(U + ((i - 1) << 3)) >> (64 - s)));
    store<u64>(U, load<u64>(U) << s);
  } else store<u64>(U + (n << 3), 0);
  const d = load<u64>(V + ((m - 1) << 3)), d0 = m > 1 ? load<u64>(V + ((m - 2) << 3)) : 0, v = reciprocal(d);
  for (let j = n - m; j >= 0; j--) {
    const uj = U + (j << 3), u2 = load<u64>(uj + (m << 3)), u1 = load<u64>(uj + ((m - 1) << 3));
    let qh: u64, rh: u64, small = true;
    if (u2 >= d) { qh = u64.MAX_VALUE; rh = u1 + d; small = rh >= d; } else { qh = div2by1(u2, u1, d, v); rh = rem; }
    if (m > 1) {
      const u0 = load<u64>(uj + ((m - 2) << 3));
      while (small) { const h = mulhi(qh, d0), l = qh * d0; if (h < rh || (h == rh && l <= u0)) break; qh--; rh += d; small = rh >= d; }
    }
    let k: u64 = 0;
    for (let i = 0; i < m; i++) {
      const y = load<u64>(V + (i << 3)); let lo = qh * y, hi = mulhi(qh, y); lo += k; hi += u64(lo < k);
      const t = load<u64>(uj + (i << 3)); store<u64>(uj + (i << 3), t - lo); k = hi + u64(t < lo);
    }
    store<u64>(uj + (m << 3), u2 - k);
    if (u2 < k) { // one too many
      qh--; let c: u64 = 0;
      for (let i = 0; i < m; i++) { const x = load<u64>(uj + (i << 3)), r1 = x + load<u64>(V + (i << 3)), r2 = r1 + c; c = u64(r1 < x) | u64(r2 < r1); store<u64>(uj + (i << 3), r2); }
      store<u64>(uj + (m << 3), load<u64>(uj + (m << 3)) + c);
    }
    if (q) store<u64>(q + (j << 3), qh);
  }
  if (s) for (let i = 0; i < m; i++) store<u64>(U + (i << 3), (load<u64>(U + (i << 3)) >> s) | (load<u64>(U + ((i + 1) << 3)) << (64 - s)));
}
export function udivmod(q: usize, r: usize, a: usize, b: usize): void { // q and r may be 0 (not wanted); division by zero gives 0
  if (isZero(b)) { if (q) set64(q, 0); if (r) set64(r, 0); return; }
  if (fits64(a) && fits64(b)) { const x = load<u64>(a), y = load<u64>(b), z = x / y; if (q) set64(q, z); if (r) set64(r, x - z * y); return; }
  copy(U, a); copy(V, b);
  if (q) { set64(T1, 0); divWords(4, 4, T1); copy(q, T1); } else divWords(4, 4, 0);
  if (r) copy(r, U);
}
export function sdivmod(q: usize, r: usize, a: usize, b: usize): void {
  const sa = load<i64>(a, 24) < 0, sb = load<i64>(b, 24) < 0;
  if (sa) neg(a, a); if (sb) neg(b, b);
  udivmod(q, r, a, b);
  if (q && sa != sb) neg(q, q); if (r && sa) neg(r, r);
}
export function addmod(d: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) { set64(d, 0); return; }
  add(U, a, b); store<u64>(U + 32, u64(less(U, a))); copy(V, n); divWords(5, 4, 0); copy(d, U);
}
export function mulmod(d: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) { set64(d, 0); return; }
  memory.fill(U, 0, 68);
  for (let i: usize = 0; i < 32; i += 4) {
    const x = <u64>load<u32>(a + i); let c: u64 = 0; if (x == 0) continue;
    for (let j: usize = 0; j < 32; j += 4) { c += x * load<u32>(b + j) + load<u32>(U + i + j); store<u32>(U + i + j, <u32>c); c >>= 32; }
    store<u32>(U + i + 32, <u32>c);
  }
  copy(V, n); divWords(8, 4, 0); copy(d, U);
}
export function bitLength(a: usize): i32 {
  for (let i = 24; i >= 0; i -= 8) { const x = load<u64>(a + i); if (x) return i * 8 + 64 - <i32>clz<u64>(x); }
  return 0;
}
export function exp(d: usize, base: usize, e: usize): void { // d distinct from base and e; base is destroyed
  set64(d, 1); const n = bitLength(e);
  for (let i = 0; i < n; i++) { if ((load<u64>(e + ((i >> 6) << 3)) >> (i & 63)) & 1) mul(d, d, base); mul(base, base, base); }
}
export function shl(d: usize, a: usize, n: u32): void { // n < 256
  const w = n >> 6, s = <u64>(n & 63);
  for (let i: i32 = 3; i >= 0; i--) { const k = i - <i32>w; let v: u64 = 0; if (k >= 0) { v = load<u64>(a + (k << 3)) << s; if (s && k > 0) v |= load<u64>(a + ((k - 1) << 3)) >> (64 - s); } store<u64>(d + (i << 3), v); }
}
export function shr(d: usize, a: usize, n: u32, fill: u64): void { // fill: 0 or all ones
  const w = n >> 6, s = <u64>(n & 63);
  for (let i: u32 = 0; i < 4; i++) { const k = i + w; const x = k < 4 ? load<u64>(a + (k << 3)) : fill, y = k < 3 ? load<u64>(a + ((k + 1) << 3)) : fill; store<u64>(d + (i << 3), s ? (x >> s) | (y << (64 - s)) : x); }
}
export function signextend(a: usize, k: u64): void { // k < 31: sign byte index, in place
  const bit = <u32>k * 8 + 7, w = bit >> 6, keep = (bit & 63) + 1;
  const x = load<u64>(a + (w << 3)), neg = (x >> (bit & 63)) & 1;
  const mask = keep == 64 ? ~(<u64>0) : (<u64>1 << keep) - 1;
  store<u64>(a + (w << 3), neg ? x | ~mask : x & mask);
  for (let i = w + 1; i < 4; i++) store<u64>(a + (i << 3), neg ? ~(<u64>0) : 0);
}
// Byte order: EVM memory is big-endian, limbs are little-endian.
// @ts-ignore: decorator
@inline export function swapBytes(d: usize, p: usize): void { // one SIMD shuffle per half, works in both directions
  const lo = v128.load(p), hi = v128.load(p, 16);
  v128.store(d, v128.shuffle<u8>(hi, hi, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  v128.store(d, v128.shuffle<u8>(lo, lo, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), 16);
}

// @ts-ignore: decorator
@inline export function and(d: usize, a: usize, b: usize): void {
  v128.store(d, v128.and(v128.load(a), v128.load(b)));
  v128.store(d, v128.and(v128.load(a, 16), v128.load(b, 16)), 16);
}
// @ts-ignore: decorator
@inline export function or(d: usize, a: usize, b: usize): void {
  v128.store(d, v128.or(v128.load(a), v128.load(b)));
  v128.store(d, v128.or(v128.load(a, 16), v128.load(b, 16)), 16);
}
// @ts-ignore: decorator
@inline export function xor(d: usize, a: usize, b: usize): void {
  v128.store(d, v128.xor(v128.load(a), v128.load(b)));
  v128.store(d, v128.xor(v128.load(a, 16), v128.load(b, 16)), 16);
}
// @ts-ignore: decorator
@inline export function not(d: usize, a: usize): void {
  v128.store(d, v128.not(v128.load(a)));
  v128.store(d, v128.not(v128.load(a, 16)), 16);
}
// @ts-ignore: decorator
@inline export function swap(a: usize, b: usize): void {
  const low = v128.load(a), high = v128.load(a, 16);
  copy(a, b);
  v128.store(b, low);
  v128.store(b, high, 16);
}
/** Arithmetic shift right by any number of bits. */
export function sar(d: usize, a: usize, n: u64): void {
  const sign = <u64>(load<i64>(a, 24) >> 63);
  if (n <= 255) {
    shr(d, a, <u32>n, sign);
    return;
  }
  store<u64>(d, sign); store<u64>(d, sign, 8); store<u64>(d, sign, 16); store<u64>(d, sign, 24);
}
