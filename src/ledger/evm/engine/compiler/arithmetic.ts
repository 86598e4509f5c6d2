import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { op } from "../../../../protocol/wasm/code.ts";
import { constantOf, constantWord, INDEXES, type Limb, smallWord, type Word, wordOf } from "./locals.ts";
import type { PartWriter } from "./part-writer.ts";

/** Emits an operation on words whose result is a new word. The operands are not released. */
export type BinaryOperation = (writer: PartWriter, a: Word, b: Word) => Word;

/** Constant folding: `fold` if both operands are constant, else `write`. */
export function folding(fold: (a: bigint, b: bigint) => bigint, write: BinaryOperation): BinaryOperation {
  return (writer, a, b) => {
    const [x, y] = [constantOf(a), constantOf(b)];
    if (x !== undefined && y !== undefined) return constantWord(BigInt.asUintN(256, fold(x, y)));
    return write(writer, a, b);
  };
}

/** Result of adding or subtracting limbs: the limb, and the carry or borrow, 0 or 1. */
interface Sum {
  readonly limb: Limb;
  readonly carry: Limb;
}

/** a + b + carry; the carry out is computed only if wanted. */
export function addLimbs(writer: PartWriter, a: Limb, b: Limb, carry: Limb, wantsCarry: boolean): Sum {
  if (b === 0n && carry === 0n) return { limb: writer.locals.share(a), carry: 0n };
  if (a === 0n && carry === 0n) return { limb: writer.locals.share(b), carry: 0n };
  if (a === 0n && b === 0n) return { limb: writer.locals.share(carry), carry: 0n };
  if (carry !== 0n && (a === 0n || b === 0n)) {
    const limb = writer.binary(op.i64Add, a === 0n ? b : a, carry);
    return { limb, carry: wantsCarry ? compare(writer, op.i64LessUnsigned, limb, carry) : 0n };
  }
  const sum = writer.binary(op.i64Add, a, b);
  if (carry === 0n) {
    if (!wantsCarry) return { limb: sum, carry: 0n };
    return { limb: sum, carry: compare(writer, op.i64LessUnsigned, sum, a) };
  }
  const limb = writer.binary(op.i64Add, sum, carry);
  if (!wantsCarry) {
    writer.locals.release(sum);
    return { limb, carry: 0n };
  }
  writer.limb(sum).limb(a).raw(op.i64LessUnsigned);
  writer.limb(limb).limb(sum).raw(op.i64LessUnsigned, op.i32Or, op.i64ExtendUnsigned);
  writer.locals.release(sum);
  return { limb, carry: writer.locals.noteCarry(writer.keep()) };
}

/** a - b - borrow */
function subtractLimbs(writer: PartWriter, a: Limb, b: Limb, borrow: Limb, wantsBorrow: boolean): Sum {
  if (b === 0n && borrow === 0n) return { limb: writer.locals.share(a), carry: 0n };
  if (a === 0n && b === 0n) {
    const limb = writer.locals.noteCarry(writer.binary(op.i64Sub, a, borrow));
    return { limb, carry: wantsBorrow ? writer.locals.share(borrow) : 0n };
  }
  if (b === 0n) {
    const limb = writer.binary(op.i64Sub, a, borrow);
    return { limb, carry: wantsBorrow ? compare(writer, op.i64LessUnsigned, a, borrow) : 0n };
  }
  const difference = writer.binary(op.i64Sub, a, b);
  if (borrow === 0n) {
    if (!wantsBorrow) return { limb: difference, carry: 0n };
    return { limb: difference, carry: compare(writer, op.i64LessUnsigned, a, b) };
  }
  const limb = writer.binary(op.i64Sub, difference, borrow);
  if (wantsBorrow) {
    writer.limb(a).limb(b).raw(op.i64LessUnsigned);
    writer.limb(difference).limb(borrow).raw(op.i64LessUnsigned, op.i32Or, op.i64ExtendUnsigned);
  }
  writer.locals.release(difference);
  return { limb, carry: wantsBorrow ? writer.locals.noteCarry(writer.keep()) : 0n };
}

/** A comparison of limbs, the carry of a sum or difference, as 0 or 1 in a new local. */
function compare(writer: PartWriter, opcode: number, a: Limb, b: Limb): number {
  writer.limb(a).limb(b).raw(opcode, op.i64ExtendUnsigned);
  return writer.locals.noteCarry(writer.keep());
}

function chain(step: typeof addLimbs): BinaryOperation {
  return (writer, a, b) => {
    let carry: Limb = 0n;
    return wordOf((i): Limb => {
      const sum = step(writer, a[i], b[i], carry, i < 3);
      writer.locals.release(carry);
      carry = sum.carry;
      return sum.limb;
    });
  };
}

/** a + b modulo 2^256 */
export const add: BinaryOperation = folding((a, b) => a + b, chain(addLimbs));
/** a - b modulo 2^256 */
export const subtract: BinaryOperation = folding((a, b) => a - b, chain(subtractLimbs));

function limbwise(write: (writer: PartWriter, a: Limb, b: Limb) => Limb): BinaryOperation {
  return (writer, a, b) => wordOf((i) => write(writer, a[i], b[i]));
}

/** a & b */
export const and: BinaryOperation = folding(
  (a, b) => a & b,
  limbwise((writer, a, b) => {
    if (a === 0n || b === 0n) return 0n;
    if (a === MAX_UINT64) return writer.locals.share(b);
    if (b === MAX_UINT64) return writer.locals.share(a);
    return writer.binary(op.i64And, a, b);
  }),
);

const isZeroOf = (a: Limb, b: Limb) => (a === 0n ? b : b === 0n ? a : undefined);

/** a | b */
export const or: BinaryOperation = folding(
  (a, b) => a | b,
  limbwise((writer, a, b) => {
    const other = isZeroOf(a, b);
    return other === undefined ? writer.binary(op.i64Or, a, b) : writer.locals.share(other);
  }),
);

/** a ^ b */
export const xor: BinaryOperation = folding(
  (a, b) => a ^ b,
  limbwise((writer, a, b) => {
    const other = isZeroOf(a, b);
    return other === undefined ? writer.binary(op.i64Xor, a, b) : writer.locals.share(other);
  }),
);

/** ~a */
export function not(writer: PartWriter, a: Word): Word {
  return xor(writer, a, constantWord((1n << 256n) - 1n));
}

/** Pushes, as an i32, whether a < b, both unsigned; the highest limbs are compared with `highest`. */
function pushLess(writer: PartWriter, a: Word, b: Word, highest: number): void {
  writer.i32(0);
  for (const i of INDEXES) {
    const opcode = i === 3 ? highest : op.i64LessUnsigned;
    if (a[i] === 0n && b[i] === 0n) continue;
    if (opcode === op.i64LessUnsigned && a[i] === 0n) {
      writer.limb(b[i]).i64(0n).raw(op.i64NotEqual, op.i32Or);
      continue;
    }
    if (opcode === op.i64LessUnsigned && b[i] === 0n) {
      writer.limb(a[i]).raw(op.i64Eqz, op.i32And);
      continue;
    }
    // less here, or equal here and less below
    writer.limb(a[i]).limb(b[i]).raw(op.i64Equal, op.i32And);
    writer.limb(a[i]).limb(b[i]).raw(opcode, op.i32Or);
  }
}

function boolean(writer: PartWriter): Word {
  return smallWord(writer.keepFlag());
}

function comparison(highest: number, isSwapped: boolean): BinaryOperation {
  return (writer, a, b) => {
    if (isSwapped) pushLess(writer, b, a, highest);
    else pushLess(writer, a, b, highest);
    return boolean(writer);
  };
}

/** 1 if a < b, unsigned, else 0 */
export const less: BinaryOperation = comparison(op.i64LessUnsigned, false);
/** 1 if a > b, unsigned, else 0 */
export const greater: BinaryOperation = comparison(op.i64LessUnsigned, true);
/** 1 if a < b, in two's complement, else 0 */
export const signedLess: BinaryOperation = comparison(op.i64LessSigned, false);
/** 1 if a > b, in two's complement, else 0 */
export const signedGreater: BinaryOperation = comparison(op.i64LessSigned, true);

/** Pushes the bitwise or of the limbs that are not known to be zero. */
function pushUnion(writer: PartWriter, limbs: readonly Limb[]): void {
  const [first = 0n, ...others] = limbs.filter((limb) => limb !== 0n);
  writer.limb(first);
  for (const limb of others) writer.limb(limb).raw(op.i64Or);
}

/** Pushes, as an i32, whether one of the limbs is not zero. */
export function pushFilled(writer: PartWriter, limbs: readonly Limb[]): void {
  pushUnion(writer, limbs);
  writer.i64(0n).raw(op.i64NotEqual);
}

/** Pushes, as an i32, whether a word is zero. */
export function pushIsZero(writer: PartWriter, a: Word): void {
  const flag = writer.flagOf(a);
  if (flag !== undefined) {
    writer.get(flag).raw(op.i32Eqz);
    return;
  }
  pushUnion(writer, a);
  writer.raw(op.i64Eqz);
}

/** 1 if a word is zero, else 0 */
export function isZero(writer: PartWriter, a: Word): Word {
  pushIsZero(writer, a);
  return boolean(writer);
}

/** 1 if a = b, else 0 */
export const equal: BinaryOperation = (writer, a, b) => {
  writer.i64(0n);
  for (const i of INDEXES) {
    if (a[i] === 0n && b[i] === 0n) continue;
    writer.limb(a[i]).limb(b[i]).raw(op.i64Xor, op.i64Or);
  }
  writer.raw(op.i64Eqz);
  return boolean(writer);
};

/** Pushes, as an i32, whether a word is below 2^32, so that its lowest limb holds all of it. */
export function pushFits32(writer: PartWriter, [low, ...high]: Word): void {
  writer.limb(low).i64(32n).raw(op.i64ShiftRightUnsigned);
  for (const limb of high) if (limb !== 0n) writer.limb(limb).raw(op.i64Or);
  writer.raw(op.i64Eqz);
}

/** Shift left by a constant number of bits below 256. */
export function shiftLeft(writer: PartWriter, a: Word, bits: number): Word {
  return wordOf((i) => shifted(writer, a, i * 64 - bits, 0n));
}

/** Shift right by a constant number of bits below 256. */
export function shiftRight(writer: PartWriter, a: Word, bits: number): Word {
  return wordOf((i) => shifted(writer, a, i * 64 + bits, 0n));
}

/** Shift right by a constant number of bits below 256, filling with the sign. */
export function shiftRightSigned(writer: PartWriter, a: Word, bits: number): Word {
  writer.limb(a[3]).i64(63n).raw(op.i64ShiftRightSigned);
  const sign = writer.keep();
  const word = wordOf((i) => shifted(writer, a, i * 64 + bits, sign));
  writer.locals.release(sign);
  return word;
}

/** The 64 bits of a word starting at bit `from`; `fill` above the word, zeros below. */
function shifted(writer: PartWriter, a: Word, from: number, fill: Limb): Limb {
  const index = Math.floor(from / 64);
  const bits = BigInt(from - index * 64);
  const limbAt = (i: number) => (i < 0 ? 0n : (a[i] ?? fill));
  const [low, high] = [limbAt(index), limbAt(index + 1)];
  if (bits === 0n) return writer.locals.share(low);
  const below = shiftLimb(writer, op.i64ShiftRightUnsigned, low, bits);
  const above = shiftLimb(writer, op.i64ShiftLeft, high, 64n - bits);
  const other = isZeroOf(below, above);
  if (other !== undefined) return other;
  const limb = writer.binary(op.i64Or, below, above);
  writer.locals.release(below, above);
  return limb;
}

function shiftLimb(writer: PartWriter, opcode: number, limb: Limb, bits: bigint): Limb {
  if (typeof limb === "number") return writer.binary(opcode, limb, bits);
  return BigInt.asUintN(64, opcode === op.i64ShiftLeft ? limb << bits : limb >> bits);
}

/** BYTE with a constant index, 0 = most significant. */
export function byteAt(writer: PartWriter, a: Word, index: number): Word {
  const moved = shiftRight(writer, a, (31 - index) * 8);
  const byte = and(writer, moved, constantWord(0xffn));
  writer.locals.release(...moved);
  return byte;
}

/** SIGNEXTEND from a constant byte below 31, 0 = least significant. */
export function signExtend(writer: PartWriter, a: Word, byte: number): Word {
  const bits = 248 - byte * 8;
  const moved = shiftLeft(writer, a, bits);
  const word = shiftRightSigned(writer, moved, bits);
  writer.locals.release(...moved);
  return word;
}
