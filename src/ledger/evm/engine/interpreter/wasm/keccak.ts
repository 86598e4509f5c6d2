// Keccak-f[1600] with its 25 lanes in locals, and keccak256 over linear memory. Six lanes are kept complemented,
// which leaves eight of the 25 negations in a round. @see Keccak implementation overview, section 2.2
import { KEPT_HASHES } from "../../layout";
import { copy, swapBytes } from "./word";

const RC = memory.data<u64>([0x1, 0x8082, 0x800000000000808a, 0x8000000080008000, 0x808b, 0x80000001, 0x8000000080008081, 0x8000000000008009, 0x8a, 0x88, 0x80008009, 0x8000000a, 0x8000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x80000001, 0x8000000080008008]);
const S: usize = 0x600; // sponge state, 200 bytes
function keccakF(): void {
  let a0 = load<u64>(S, 0);
  let a1 = ~load<u64>(S, 8);
  let a2 = ~load<u64>(S, 16);
  let a3 = load<u64>(S, 24);
  let a4 = load<u64>(S, 32);
  let a5 = load<u64>(S, 40);
  let a6 = load<u64>(S, 48);
  let a7 = load<u64>(S, 56);
  let a8 = ~load<u64>(S, 64);
  let a9 = load<u64>(S, 72);
  let a10 = load<u64>(S, 80);
  let a11 = load<u64>(S, 88);
  let a12 = ~load<u64>(S, 96);
  let a13 = load<u64>(S, 104);
  let a14 = load<u64>(S, 112);
  let a15 = load<u64>(S, 120);
  let a16 = load<u64>(S, 128);
  let a17 = ~load<u64>(S, 136);
  let a18 = load<u64>(S, 144);
  let a19 = load<u64>(S, 152);
  let a20 = ~load<u64>(S, 160);
  let a21 = load<u64>(S, 168);
  let a22 = load<u64>(S, 176);
  let a23 = load<u64>(S, 184);
  let a24 = load<u64>(S, 192);
  for (let r: usize = 0; r < 192; r += 8) {
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
    const d0 = c4 ^ rotl<u64>(c1, 1);
    const d1 = c0 ^ rotl<u64>(c2, 1);
    const d2 = c1 ^ rotl<u64>(c3, 1);
    const d3 = c2 ^ rotl<u64>(c4, 1);
    const d4 = c3 ^ rotl<u64>(c0, 1);
    const b0 = a0 ^ d0;
    const b1 = rotl<u64>(a6 ^ d1, 44);
    const b2 = rotl<u64>(a12 ^ d2, 43);
    const b3 = rotl<u64>(a18 ^ d3, 21);
    const b4 = rotl<u64>(a24 ^ d4, 14);
    const b5 = rotl<u64>(a3 ^ d3, 28);
    const b6 = rotl<u64>(a9 ^ d4, 20);
    const b7 = rotl<u64>(a10 ^ d0, 3);
    const b8 = rotl<u64>(a16 ^ d1, 45);
    const b9 = rotl<u64>(a22 ^ d2, 61);
    const b10 = rotl<u64>(a1 ^ d1, 1);
    const b11 = rotl<u64>(a7 ^ d2, 6);
    const b12 = rotl<u64>(a13 ^ d3, 25);
    const b13 = rotl<u64>(a19 ^ d4, 8);
    const b14 = rotl<u64>(a20 ^ d0, 18);
    const b15 = rotl<u64>(a4 ^ d4, 27);
    const b16 = rotl<u64>(a5 ^ d0, 36);
    const b17 = rotl<u64>(a11 ^ d1, 10);
    const b18 = rotl<u64>(a17 ^ d2, 15);
    const b19 = rotl<u64>(a23 ^ d3, 56);
    const b20 = rotl<u64>(a2 ^ d2, 62);
    const b21 = rotl<u64>(a8 ^ d3, 55);
    const b22 = rotl<u64>(a14 ^ d4, 39);
    const b23 = rotl<u64>(a15 ^ d0, 41);
    const b24 = rotl<u64>(a21 ^ d1, 2);
    a0 = b0 ^ (b1 | b2) ^ load<u64>(RC + r);
    a1 = b1 ^ (~b2 | b3);
    a2 = b2 ^ (b3 & b4);
    a3 = b3 ^ (b4 | b0);
    a4 = b4 ^ (b0 & b1);
    a5 = b5 ^ (b6 | b7);
    a6 = b6 ^ (b7 & b8);
    a7 = b7 ^ (b8 | ~b9);
    a8 = b8 ^ (b9 | b5);
    a9 = b9 ^ (b5 & b6);
    const n2 = ~b13;
    a10 = b10 ^ (b11 | b12);
    a11 = b11 ^ (b12 & b13);
    a12 = b12 ^ (n2 & b14);
    a13 = n2 ^ (b14 | b10);
    a14 = b14 ^ (b10 & b11);
    const n3 = ~b18;
    a15 = b15 ^ (b16 & b17);
    a16 = b16 ^ (b17 | b18);
    a17 = b17 ^ (n3 | b19);
    a18 = n3 ^ (b19 & b15);
    a19 = b19 ^ (b15 | b16);
    const n4 = ~b21;
    a20 = b20 ^ (n4 & b22);
    a21 = n4 ^ (b22 | b23);
    a22 = b22 ^ (b23 & b24);
    a23 = b23 ^ (b24 | b20);
    a24 = b24 ^ (b20 & b21);
  }
  store<u64>(S, a0, 0);
  store<u64>(S, ~a1, 8);
  store<u64>(S, ~a2, 16);
  store<u64>(S, a3, 24);
  store<u64>(S, a4, 32);
  store<u64>(S, a5, 40);
  store<u64>(S, a6, 48);
  store<u64>(S, a7, 56);
  store<u64>(S, ~a8, 64);
  store<u64>(S, a9, 72);
  store<u64>(S, a10, 80);
  store<u64>(S, a11, 88);
  store<u64>(S, ~a12, 96);
  store<u64>(S, a13, 104);
  store<u64>(S, a14, 112);
  store<u64>(S, a15, 120);
  store<u64>(S, a16, 128);
  store<u64>(S, ~a17, 136);
  store<u64>(S, a18, 144);
  store<u64>(S, a19, 152);
  store<u64>(S, ~a20, 160);
  store<u64>(S, a21, 168);
  store<u64>(S, a22, 176);
  store<u64>(S, a23, 184);
  store<u64>(S, a24, 192);
}
/** Writes the keccak256 hash of [p, p + n) as a word (little-endian limbs) to `d`. */
export function keccak256(d: usize, p: usize, n: usize): void {
  if (n == 64) {
    keccak64(d, p);
    return;
  }
  memory.fill(S, 0, 200);
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

/** Entries of the table of kept hashes, each an input of 64 bytes and its hash as a word; a hash of zero = free. */
const KEPT: u64 = 2047;
const KEPT_SIZE: usize = 96;

/**
 * `keccak256` of 64 bytes, the place of a mapping's entry: contracts ask for the same few again and again, so the last
 * hashes are kept, each where its input says.
 */
function keccak64(d: usize, p: usize): void {
  const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), e = v128.load(p, 48);
  const mix = (load<u64>(p, 16) ^ load<u64>(p, 48)) * 0x9e3779b97f4a7c15 + (load<u64>(p, 24) ^ load<u64>(p, 56)) * 0xd1342543de82ef95;
  const at = KEPT_HASHES + <usize>((mix >> 40) & KEPT) * KEPT_SIZE, hash = at + 64;
  const left = v128.or(v128.xor(a, v128.load(at)), v128.xor(b, v128.load(at, 16)));
  const right = v128.or(v128.xor(c, v128.load(at, 32)), v128.xor(e, v128.load(at, 48)));
  if (!v128.any_true(v128.or(left, right)) && load<u64>(hash)) {
    copy(d, hash);
    return;
  }
  const zero = i64x2.splat(0);
  v128.store(S, a);
  v128.store(S, b, 16);
  v128.store(S, c, 32);
  v128.store(S, e, 48);
  v128.store(S, i64x2(1, 0), 64);
  for (let i: usize = 80; i < 128; i += 16) v128.store(S + i, zero);
  v128.store(S, i64x2(i64.MIN_VALUE, 0), 128);
  for (let i: usize = 144; i < 208; i += 16) v128.store(S + i, zero);
  keccakF();
  v128.store(at, a);
  v128.store(at, b, 16);
  v128.store(at, c, 32);
  v128.store(at, e, 48);
  swapBytes(hash, S);
  copy(d, hash);
}
