// Rounds of Keccak-f[1600] over linear memory. Six lanes are kept complemented, which leaves five of the 25 negations per round.
// The 25 lanes do not fit in registers: each round reads them from one buffer, writes them to another, and computes the column parities
// on the way, which is an eighth faster than lanes in locals. Two rounds are unrolled, since variable addresses take an eighth longer.
// @see Keccak implementation overview, sections 2.2 and 2.4

/** Round constants. */
export const RC = memory.data<u64>([
  0x1, 0x8082, 0x800000000000808a, 0x8000000080008000, 0x808b, 0x80000001,
  0x8000000080008081, 0x8000000000008009, 0x8a, 0x88, 0x80008009, 0x8000000a,
  0x8000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
  0x800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x80000001, 0x8000000080008008,
]);
/** State of the sponge, 200 bytes, padded to a multiple of 16. */
export const S: usize = 0x600;
/** The state between the two rounds of a pair. */
const T: usize = 0x700;

/** Parity of a column. */
// @ts-ignore: decorator
@inline export function column(x: usize): u64 {
  return load<u64>(S + x) ^ load<u64>(S + x, 40) ^ load<u64>(S + x, 80) ^ load<u64>(S + x, 120) ^ load<u64>(S + x, 160);
}

/** The rounds with the constants at [first, last) of RC, an even number, on a state with six complemented lanes. */
export function rounds(first: usize, last: usize): void {
  let c0 = column(0), c1 = column(8), c2 = column(16), c3 = column(24), c4 = column(32);
  let b0: u64, b1: u64, b2: u64, b3: u64, b4: u64, d0: u64, d1: u64, d2: u64, d3: u64, d4: u64, e: u64;
  for (let r = first; r < last; r += 16) {
    d0 = c4 ^ rotl<u64>(c1, 1), d1 = c0 ^ rotl<u64>(c2, 1), d2 = c1 ^ rotl<u64>(c3, 1), d3 = c2 ^ rotl<u64>(c4, 1), d4 = c3 ^ rotl<u64>(c0, 1);
    b0 = load<u64>(S) ^ d0;
    b1 = rotl<u64>(load<u64>(S, 48) ^ d1, 44);
    b2 = rotl<u64>(load<u64>(S, 96) ^ d2, 43);
    b3 = rotl<u64>(load<u64>(S, 144) ^ d3, 21);
    b4 = rotl<u64>(load<u64>(S, 192) ^ d4, 14);
    store<u64>(T, c0 = b0 ^ (b1 | b2) ^ load<u64>(RC + r));
    store<u64>(T, c1 = b1 ^ (~b2 | b3), 8);
    store<u64>(T, c2 = b2 ^ (b3 & b4), 16);
    store<u64>(T, c3 = b3 ^ (b4 | b0), 24);
    store<u64>(T, c4 = b4 ^ (b0 & b1), 32);
    b0 = rotl<u64>(load<u64>(S, 24) ^ d3, 28);
    b1 = rotl<u64>(load<u64>(S, 72) ^ d4, 20);
    b2 = rotl<u64>(load<u64>(S, 80) ^ d0, 3);
    b3 = rotl<u64>(load<u64>(S, 128) ^ d1, 45);
    b4 = rotl<u64>(load<u64>(S, 176) ^ d2, 61);
    store<u64>(T, e = b0 ^ (b1 | b2), 40);
    c0 ^= e;
    store<u64>(T, e = b1 ^ (b2 & b3), 48);
    c1 ^= e;
    store<u64>(T, e = b2 ^ (b3 | ~b4), 56);
    c2 ^= e;
    store<u64>(T, e = b3 ^ (b4 | b0), 64);
    c3 ^= e;
    store<u64>(T, e = b4 ^ (b0 & b1), 72);
    c4 ^= e;
    b0 = rotl<u64>(load<u64>(S, 8) ^ d1, 1);
    b1 = rotl<u64>(load<u64>(S, 56) ^ d2, 6);
    b2 = rotl<u64>(load<u64>(S, 104) ^ d3, 25);
    b3 = rotl<u64>(load<u64>(S, 152) ^ d4, 8);
    b4 = rotl<u64>(load<u64>(S, 160) ^ d0, 18);
    store<u64>(T, e = b0 ^ (b1 | b2), 80);
    c0 ^= e;
    store<u64>(T, e = b1 ^ (b2 & b3), 88);
    c1 ^= e;
    store<u64>(T, e = b2 ^ (~b3 & b4), 96);
    c2 ^= e;
    store<u64>(T, e = ~b3 ^ (b4 | b0), 104);
    c3 ^= e;
    store<u64>(T, e = b4 ^ (b0 & b1), 112);
    c4 ^= e;
    b0 = rotl<u64>(load<u64>(S, 32) ^ d4, 27);
    b1 = rotl<u64>(load<u64>(S, 40) ^ d0, 36);
    b2 = rotl<u64>(load<u64>(S, 88) ^ d1, 10);
    b3 = rotl<u64>(load<u64>(S, 136) ^ d2, 15);
    b4 = rotl<u64>(load<u64>(S, 184) ^ d3, 56);
    store<u64>(T, e = b0 ^ (b1 & b2), 120);
    c0 ^= e;
    store<u64>(T, e = b1 ^ (b2 | b3), 128);
    c1 ^= e;
    store<u64>(T, e = b2 ^ (~b3 | b4), 136);
    c2 ^= e;
    store<u64>(T, e = ~b3 ^ (b4 & b0), 144);
    c3 ^= e;
    store<u64>(T, e = b4 ^ (b0 | b1), 152);
    c4 ^= e;
    b0 = rotl<u64>(load<u64>(S, 16) ^ d2, 62);
    b1 = rotl<u64>(load<u64>(S, 64) ^ d3, 55);
    b2 = rotl<u64>(load<u64>(S, 112) ^ d4, 39);
    b3 = rotl<u64>(load<u64>(S, 120) ^ d0, 41);
    b4 = rotl<u64>(load<u64>(S, 168) ^ d1, 2);
    store<u64>(T, e = b0 ^ (~b1 & b2), 160);
    c0 ^= e;
    store<u64>(T, e = ~b1 ^ (b2 | b3), 168);
    c1 ^= e;
    store<u64>(T, e = b2 ^ (b3 & b4), 176);
    c2 ^= e;
    store<u64>(T, e = b3 ^ (b4 | b0), 184);
    c3 ^= e;
    store<u64>(T, e = b4 ^ (b0 & b1), 192);
    c4 ^= e;

    d0 = c4 ^ rotl<u64>(c1, 1), d1 = c0 ^ rotl<u64>(c2, 1), d2 = c1 ^ rotl<u64>(c3, 1), d3 = c2 ^ rotl<u64>(c4, 1), d4 = c3 ^ rotl<u64>(c0, 1);
    b0 = load<u64>(T) ^ d0;
    b1 = rotl<u64>(load<u64>(T, 48) ^ d1, 44);
    b2 = rotl<u64>(load<u64>(T, 96) ^ d2, 43);
    b3 = rotl<u64>(load<u64>(T, 144) ^ d3, 21);
    b4 = rotl<u64>(load<u64>(T, 192) ^ d4, 14);
    store<u64>(S, c0 = b0 ^ (b1 | b2) ^ load<u64>(RC + r, 8));
    store<u64>(S, c1 = b1 ^ (~b2 | b3), 8);
    store<u64>(S, c2 = b2 ^ (b3 & b4), 16);
    store<u64>(S, c3 = b3 ^ (b4 | b0), 24);
    store<u64>(S, c4 = b4 ^ (b0 & b1), 32);
    b0 = rotl<u64>(load<u64>(T, 24) ^ d3, 28);
    b1 = rotl<u64>(load<u64>(T, 72) ^ d4, 20);
    b2 = rotl<u64>(load<u64>(T, 80) ^ d0, 3);
    b3 = rotl<u64>(load<u64>(T, 128) ^ d1, 45);
    b4 = rotl<u64>(load<u64>(T, 176) ^ d2, 61);
    store<u64>(S, e = b0 ^ (b1 | b2), 40);
    c0 ^= e;
    store<u64>(S, e = b1 ^ (b2 & b3), 48);
    c1 ^= e;
    store<u64>(S, e = b2 ^ (b3 | ~b4), 56);
    c2 ^= e;
    store<u64>(S, e = b3 ^ (b4 | b0), 64);
    c3 ^= e;
    store<u64>(S, e = b4 ^ (b0 & b1), 72);
    c4 ^= e;
    b0 = rotl<u64>(load<u64>(T, 8) ^ d1, 1);
    b1 = rotl<u64>(load<u64>(T, 56) ^ d2, 6);
    b2 = rotl<u64>(load<u64>(T, 104) ^ d3, 25);
    b3 = rotl<u64>(load<u64>(T, 152) ^ d4, 8);
    b4 = rotl<u64>(load<u64>(T, 160) ^ d0, 18);
    store<u64>(S, e = b0 ^ (b1 | b2), 80);
    c0 ^= e;
    store<u64>(S, e = b1 ^ (b2 & b3), 88);
    c1 ^= e;
    store<u64>(S, e = b2 ^ (~b3 & b4), 96);
    c2 ^= e;
    store<u64>(S, e = ~b3 ^ (b4 | b0), 104);
    c3 ^= e;
    store<u64>(S, e = b4 ^ (b0 & b1), 112);
    c4 ^= e;
    b0 = rotl<u64>(load<u64>(T, 32) ^ d4, 27);
    b1 = rotl<u64>(load<u64>(T, 40) ^ d0, 36);
    b2 = rotl<u64>(load<u64>(T, 88) ^ d1, 10);
    b3 = rotl<u64>(load<u64>(T, 136) ^ d2, 15);
    b4 = rotl<u64>(load<u64>(T, 184) ^ d3, 56);
    store<u64>(S, e = b0 ^ (b1 & b2), 120);
    c0 ^= e;
    store<u64>(S, e = b1 ^ (b2 | b3), 128);
    c1 ^= e;
    store<u64>(S, e = b2 ^ (~b3 | b4), 136);
    c2 ^= e;
    store<u64>(S, e = ~b3 ^ (b4 & b0), 144);
    c3 ^= e;
    store<u64>(S, e = b4 ^ (b0 | b1), 152);
    c4 ^= e;
    b0 = rotl<u64>(load<u64>(T, 16) ^ d2, 62);
    b1 = rotl<u64>(load<u64>(T, 64) ^ d3, 55);
    b2 = rotl<u64>(load<u64>(T, 112) ^ d4, 39);
    b3 = rotl<u64>(load<u64>(T, 120) ^ d0, 41);
    b4 = rotl<u64>(load<u64>(T, 168) ^ d1, 2);
    store<u64>(S, e = b0 ^ (~b1 & b2), 160);
    c0 ^= e;
    store<u64>(S, e = ~b1 ^ (b2 | b3), 168);
    c1 ^= e;
    store<u64>(S, e = b2 ^ (b3 & b4), 176);
    c2 ^= e;
    store<u64>(S, e = b3 ^ (b4 | b0), 184);
    c3 ^= e;
    store<u64>(S, e = b4 ^ (b0 & b1), 192);
    c4 ^= e;
  }
}
