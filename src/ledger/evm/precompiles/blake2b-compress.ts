/** First 64 bits of the fractions of the square roots of the first eight primes; low word, high word. @see RFC 7693 2.6 */
const IV = Int32Array.of(
  ...[0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a],
  ...[0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19],
);

/** Order of the message words in round `i mod 10`. @see RFC 7693 2.7 */
const SIGMA: readonly Uint8Array[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
].map((row) => Uint8Array.from(row));

/**
 * The compression function F of BLAKE2b with any number of rounds; changes `h` in place.
 * 64-bit words are pairs of 32-bit words, low word first.
 * @param h - 8 words of state
 * @param m - 16 words of message
 * @param t - 2 words of offset
 * @see RFC 7693 section 3.2
 */
export function compress(h: Int32Array, m: Int32Array, t: Int32Array, final: boolean, rounds: number): void {
  const v = new Int32Array(32);
  v.set(h);
  v.set(IV, 16);
  for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ (t[i] as number);
  if (final) for (const i of [28, 29]) v[i] = ~(v[i] as number);
  for (let round = 0; round < rounds; round++) {
    const s = SIGMA[round % 10] as Uint8Array;
    mix(v, 0, 8, 16, 24, m, s[0] as number, s[1] as number);
    mix(v, 2, 10, 18, 26, m, s[2] as number, s[3] as number);
    mix(v, 4, 12, 20, 28, m, s[4] as number, s[5] as number);
    mix(v, 6, 14, 22, 30, m, s[6] as number, s[7] as number);
    mix(v, 0, 10, 20, 30, m, s[8] as number, s[9] as number);
    mix(v, 2, 12, 22, 24, m, s[10] as number, s[11] as number);
    mix(v, 4, 14, 16, 26, m, s[12] as number, s[13] as number);
    mix(v, 6, 8, 18, 28, m, s[14] as number, s[15] as number);
  }
  for (let i = 0; i < 16; i++) h[i] = (h[i] as number) ^ (v[i] as number) ^ (v[i + 16] as number);
}

/** The function G over words a, b, c, d (indexes of their low halves) with message words x and y. Written out for speed. */
function mix(
  v: Int32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  m: Int32Array,
  x: number,
  y: number,
): void {
  let al = v[a] as number;
  let ah = v[a + 1] as number;
  let bl = v[b] as number;
  let bh = v[b + 1] as number;
  let cl = v[c] as number;
  let ch = v[c + 1] as number;
  let dl = v[d] as number;
  let dh = v[d + 1] as number;

  let low = (al + bl) | 0;
  ah = (ah + bh + carry(low, al)) | 0;
  al = (low + (m[2 * x] as number)) | 0;
  ah = (ah + (m[2 * x + 1] as number) + carry(al, low)) | 0;
  let high = dl ^ al;
  dl = dh ^ ah;
  dh = high;
  low = (cl + dl) | 0;
  ch = (ch + dh + carry(low, cl)) | 0;
  cl = low;
  low = bl ^ cl;
  high = bh ^ ch;
  bl = (low >>> 24) | (high << 8);
  bh = (high >>> 24) | (low << 8);

  low = (al + bl) | 0;
  ah = (ah + bh + carry(low, al)) | 0;
  al = (low + (m[2 * y] as number)) | 0;
  ah = (ah + (m[2 * y + 1] as number) + carry(al, low)) | 0;
  low = dl ^ al;
  high = dh ^ ah;
  dl = (low >>> 16) | (high << 16);
  dh = (high >>> 16) | (low << 16);
  low = (cl + dl) | 0;
  ch = (ch + dh + carry(low, cl)) | 0;
  cl = low;
  low = bl ^ cl;
  high = bh ^ ch;
  bl = (low << 1) | (high >>> 31);
  bh = (high << 1) | (low >>> 31);

  v[a] = al;
  v[a + 1] = ah;
  v[b] = bl;
  v[b + 1] = bh;
  v[c] = cl;
  v[c + 1] = ch;
  v[d] = dl;
  v[d + 1] = dh;
}

/** Carry out of a 32-bit addition, from its sum and one of its terms. */
function carry(sum: number, term: number): number {
  return sum >>> 0 < term >>> 0 ? 1 : 0;
}
