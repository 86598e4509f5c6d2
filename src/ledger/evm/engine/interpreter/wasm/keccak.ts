// keccak256 over linear memory.
import { CACHED_HASHES } from "../../layout";
import { column, RC, rounds, S } from "./keccak-rounds";
import { copy, reversed, swapBytes } from "./word";

// @ts-ignore: decorator
@inline function complement(): void {
  store<u64>(S, ~load<u64>(S, 8), 8);
  store<u64>(S, ~load<u64>(S, 16), 16);
  store<u64>(S, ~load<u64>(S, 64), 64);
  store<u64>(S, ~load<u64>(S, 96), 96);
  store<u64>(S, ~load<u64>(S, 136), 136);
  store<u64>(S, ~load<u64>(S, 160), 160);
}

function keccakF(): void {
  complement();
  rounds(0, 192);
  complement();
}

/** Writes the keccak256 hash of [p, p + n) as a word (little-endian limbs) to `d`. */
export function keccak256(d: usize, p: usize, n: usize): void {
  if (n == 64) {
    keccak64(d, p);
    return;
  }
  for (let i: usize = 0; i < 208; i += 16) v128.store(S + i, i64x2.splat(0));
  while (n >= 136) {
    for (let i: usize = 0; i < 136; i += 8) store<u64>(S + i, load<u64>(S + i) ^ load<u64>(p + i));
    keccakF();
    p += 136;
    n -= 136;
  }
  let i: usize = 0;
  for (; i + 8 <= n; i += 8) store<u64>(S + i, load<u64>(S + i) ^ load<u64>(p + i));
  for (; i < n; i++) store<u8>(S + i, load<u8>(S + i) ^ load<u8>(p + i));
  store<u8>(S + n, load<u8>(S + n) ^ 1);
  store<u8>(S + 135, load<u8>(S + 135) ^ 0x80);
  keccakF();
  swapBytes(d, S);
}

/** The first round for the 64-byte message at `p`: of the other lanes two are padding, and the rest is zero. */
function firstRound(p: usize): void {
  const a0 = load<u64>(p), a1 = ~load<u64>(p, 8), a2 = ~load<u64>(p, 16), a3 = load<u64>(p, 24), a4 = load<u64>(p, 32);
  const a5 = load<u64>(p, 40), a6 = load<u64>(p, 48), a7 = load<u64>(p, 56), a8: u64 = ~1, a16: u64 = 1 << 63;
  const c0 = ~(a0 ^ a5), c1 = a1 ^ a6 ^ a16, c2 = a2 ^ a7, c3 = a3 ^ a8, c4 = a4;
  const d0 = c4 ^ rotl<u64>(c1, 1), d1 = c0 ^ rotl<u64>(c2, 1), d2 = c1 ^ rotl<u64>(c3, 1), d3 = c2 ^ rotl<u64>(c4, 1), d4 = c3 ^ rotl<u64>(c0, 1);
  let b0 = a0 ^ d0, b1 = rotl<u64>(a6 ^ d1, 44), b2 = rotl<u64>(~d2, 43), b3 = rotl<u64>(d3, 21), b4 = rotl<u64>(d4, 14);
  store<u64>(S, b0 ^ (b1 | b2) ^ load<u64>(RC));
  store<u64>(S, b1 ^ (~b2 | b3), 8);
  store<u64>(S, b2 ^ (b3 & b4), 16);
  store<u64>(S, b3 ^ (b4 | b0), 24);
  store<u64>(S, b4 ^ (b0 & b1), 32);
  b0 = rotl<u64>(a3 ^ d3, 28), b1 = rotl<u64>(d4, 20), b2 = rotl<u64>(d0, 3), b3 = rotl<u64>(a16 ^ d1, 45), b4 = rotl<u64>(d2, 61);
  store<u64>(S, b0 ^ (b1 | b2), 40);
  store<u64>(S, b1 ^ (b2 & b3), 48);
  store<u64>(S, b2 ^ (b3 | ~b4), 56);
  store<u64>(S, b3 ^ (b4 | b0), 64);
  store<u64>(S, b4 ^ (b0 & b1), 72);
  b0 = rotl<u64>(a1 ^ d1, 1), b1 = rotl<u64>(a7 ^ d2, 6), b2 = rotl<u64>(d3, 25), b3 = rotl<u64>(d4, 8), b4 = rotl<u64>(~d0, 18);
  store<u64>(S, b0 ^ (b1 | b2), 80);
  store<u64>(S, b1 ^ (b2 & b3), 88);
  store<u64>(S, b2 ^ (~b3 & b4), 96);
  store<u64>(S, ~b3 ^ (b4 | b0), 104);
  store<u64>(S, b4 ^ (b0 & b1), 112);
  b0 = rotl<u64>(a4 ^ d4, 27), b1 = rotl<u64>(a5 ^ d0, 36), b2 = rotl<u64>(d1, 10), b3 = rotl<u64>(~d2, 15), b4 = rotl<u64>(d3, 56);
  store<u64>(S, b0 ^ (b1 & b2), 120);
  store<u64>(S, b1 ^ (b2 | b3), 128);
  store<u64>(S, b2 ^ (~b3 | b4), 136);
  store<u64>(S, ~b3 ^ (b4 & b0), 144);
  store<u64>(S, b4 ^ (b0 | b1), 152);
  b0 = rotl<u64>(a2 ^ d2, 62), b1 = rotl<u64>(a8 ^ d3, 55), b2 = rotl<u64>(d4, 39), b3 = rotl<u64>(d0, 41), b4 = rotl<u64>(d1, 2);
  store<u64>(S, b0 ^ (~b1 & b2), 160);
  store<u64>(S, ~b1 ^ (b2 | b3), 168);
  store<u64>(S, b2 ^ (b3 & b4), 176);
  store<u64>(S, b3 ^ (b4 | b0), 184);
  store<u64>(S, b4 ^ (b0 & b1), 192);
}

/** The last round, only the four lanes of the hash; writes them to `d` as a word. */
function lastRound(d: usize): void {
  const c0 = column(0), c1 = column(8), c2 = column(16), c3 = column(24), c4 = column(32);
  const b0 = load<u64>(S) ^ c4 ^ rotl<u64>(c1, 1);
  const b1 = rotl<u64>(load<u64>(S, 48) ^ c0 ^ rotl<u64>(c2, 1), 44);
  const b2 = rotl<u64>(load<u64>(S, 96) ^ c1 ^ rotl<u64>(c3, 1), 43);
  const b3 = rotl<u64>(load<u64>(S, 144) ^ c2 ^ rotl<u64>(c4, 1), 21);
  const b4 = rotl<u64>(load<u64>(S, 192) ^ c3 ^ rotl<u64>(c0, 1), 14);
  const low = i64x2.replace_lane(i64x2.splat(b0 ^ (b1 | b2) ^ load<u64>(RC, 184)), 1, ~b1 ^ (~b2 | b3));
  const high = i64x2.replace_lane(i64x2.splat(~b2 ^ (b3 & b4)), 1, b3 ^ (b4 | b0));
  v128.store(d, reversed(high));
  v128.store(d, reversed(low), 16);
}

/** Mask of the set index in the two-way cache of hashes; an entry is a 64-byte input and its hash as a word; a hash of zero = free. */
const SET_MASK: u64 = 2047;
const ENTRY_SIZE: usize = 96;

// @ts-ignore: decorator
@inline function isCached(at: usize, a: v128, b: v128, c: v128, e: v128): bool {
  const left = v128.or(v128.xor(a, v128.load(at)), v128.xor(b, v128.load(at, 16)));
  const right = v128.or(v128.xor(c, v128.load(at, 32)), v128.xor(e, v128.load(at, 48)));
  return !v128.any_true(v128.or(left, right)) && load<u64>(at, 64) != 0;
}

/**
 * `keccak256` of 64 bytes, as for the slot of a mapping entry: contracts hash the same few inputs repeatedly, so the last
 * hashes are cached, in sets by input, the newer one first.
 */
function keccak64(d: usize, p: usize): void {
  const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), e = v128.load(p, 48);
  const mix = (load<u64>(p, 16) ^ load<u64>(p, 48)) * 0x9e3779b97f4a7c15 + (load<u64>(p, 24) ^ load<u64>(p, 56)) * 0xd1342543de82ef95;
  // small numbers differ only in their highest bits, which a multiplication does not propagate downwards
  const at = CACHED_HASHES + <usize>((((mix ^ (mix >> 32)) * 0x9e3779b97f4a7c15) >> 40) & SET_MASK) * (2 * ENTRY_SIZE);
  const older = at + ENTRY_SIZE, hash = at + 64;
  if (isCached(at, a, b, c, e)) {
    copy(d, hash);
    return;
  }
  if (isCached(older, a, b, c, e)) {
    copy(d, older + 64);
    return;
  }
  firstRound(p);
  rounds(8, 184);
  for (let i: usize = 0; i < ENTRY_SIZE; i += 32) copy(older + i, at + i);
  v128.store(at, a);
  v128.store(at, b, 16);
  v128.store(at, c, 32);
  v128.store(at, e, 48);
  lastRound(hash);
  copy(d, hash);
}

