import fc from "fast-check";

/** A number modulo 2^256. */
export const u = (x: bigint) => BigInt.asUintN(256, x);
const s = (x: bigint) => BigInt.asIntN(256, x);
const bool = (x: boolean) => (x ? 1n : 0n);
const bits = (x: bigint) => (x === 0n ? 0 : x.toString(2).length);
const power = (base: bigint, exponent: bigint) => {
  let result = 1n;
  for (let b = base, e = exponent; e > 0n; e >>= 1n, b = u(b * b)) if (e & 1n) result = u(result * b);
  return result;
};

/** Every opcode that computes a word from words, top of the stack first, after the Yellow Paper's appendix H. */
export const OPS: Readonly<Record<string, (a: bigint, b: bigint, c: bigint) => bigint>> = {
  ADD: (a, b) => u(a + b),
  MUL: (a, b) => u(a * b),
  SUB: (a, b) => u(a - b),
  DIV: (a, b) => (b ? a / b : 0n),
  SDIV: (a, b) => (b ? u(s(a) / s(b)) : 0n),
  MOD: (a, b) => (b ? a % b : 0n),
  SMOD: (a, b) => (b ? u(s(a) % s(b)) : 0n),
  ADDMOD: (a, b, c) => (c ? (a + b) % c : 0n),
  MULMOD: (a, b, c) => (c ? (a * b) % c : 0n),
  EXP: power,
  SIGNEXTEND: (a, b) => (a > 30n ? b : u(BigInt.asIntN(Number(a) * 8 + 8, b))),
  LT: (a, b) => bool(a < b),
  GT: (a, b) => bool(a > b),
  SLT: (a, b) => bool(s(a) < s(b)),
  SGT: (a, b) => bool(s(a) > s(b)),
  EQ: (a, b) => bool(a === b),
  ISZERO: (a) => bool(a === 0n),
  AND: (a, b) => a & b,
  OR: (a, b) => a | b,
  XOR: (a, b) => a ^ b,
  NOT: (a) => u(~a),
  BYTE: (a, b) => (a > 31n ? 0n : (b >> (248n - 8n * a)) & 0xffn),
  SHL: (a, b) => (a > 255n ? 0n : u(b << a)),
  SHR: (a, b) => (a > 255n ? 0n : b >> a),
  SAR: (a, b) => u(s(b) >> (a > 255n ? 255n : a)),
  CLZ: (a) => BigInt(256 - bits(a)),
};

const LIMBS = [
  0n,
  1n,
  2n,
  (1n << 64n) - 1n,
  (1n << 64n) - 2n,
  1n << 63n,
  (1n << 63n) - 1n,
  1n << 32n,
  0xffffffffn,
];
/** A digit of a word, often one at an edge. */
export const limb = fc.oneof(fc.constantFrom(...LIMBS), fc.bigInt(0n, (1n << 64n) - 1n));
/** A word of such digits. */
export const edgy = fc
  .array(limb, { minLength: 1, maxLength: 4 })
  .map((limbs) => limbs.reduce((x, l) => (x << 64n) | l, 0n));
/** Any operand. */
export const operand = fc.oneof(edgy, fc.bigInt(0n, 300n), fc.bigInt(0n, (1n << 256n) - 1n));
