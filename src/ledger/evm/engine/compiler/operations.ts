import { op } from "../../../../protocol/wasm/code.ts";
import { Op } from "../../tables/op.ts";
import { CONSTANT_OPCODES, constantPlace } from "../constant-words.ts";
import {
  FRAME_ADDRESS,
  FRAME_CALLER,
  FRAME_CODE_SIZE,
  FRAME_INPUT,
  FRAME_INPUT_SIZE,
  FRAME_RETURN_DATA_SIZE,
  FRAME_VALUE,
} from "../layout.ts";
import * as arithmetic from "./arithmetic.ts";
import { constantWord, smallWord, type Word, wordOf } from "./locals.ts";
import { hash, loadWord, storeByte, storeWord } from "./memory-operations.ts";
import { FRAME, GAS, MEMORY_SIZE, type PartWriter } from "./part-writer.ts";
import { multiply as writtenOut } from "./products.ts";
import type { RuntimeFunction } from "./runtime.ts";
import { type Place, writeStep } from "./step.ts";

/** Emits an opcode. @returns false if it cannot: the interpreter then runs the opcode */
export type Operation = (place: Place) => boolean;

/** Operations on two words, the top one first. */
const BINARY: Readonly<Record<number, arithmetic.BinaryOperation>> = {
  [Op.add]: arithmetic.add,
  [Op.sub]: arithmetic.subtract,
  [Op.lt]: arithmetic.less,
  [Op.gt]: arithmetic.greater,
  [Op.slt]: arithmetic.signedLess,
  [Op.sgt]: arithmetic.signedGreater,
  [Op.eq]: arithmetic.equal,
  [Op.and]: arithmetic.and,
  [Op.or]: arithmetic.or,
  [Op.xor]: arithmetic.xor,
};

/** Operations on a word whose first operand, on top of it, must be constant and below a bound. */
const BY_CONSTANT: Readonly<
  Record<number, readonly [bound: bigint, write: (writer: PartWriter, word: Word, by: number) => Word]>
> = {
  [Op.signExtend]: [31n, arithmetic.signExtend],
  [Op.byte]: [32n, arithmetic.byteAt],
  [Op.shl]: [256n, arithmetic.shiftLeft],
  [Op.shr]: [256n, arithmetic.shiftRight],
  [Op.sar]: [256n, arithmetic.shiftRightSigned],
};

/** Divisions: the runtime function, and which of its results is used. */
const DIVISIONS: Readonly<Record<number, readonly [name: RuntimeFunction, part: "quotient" | "remainder"]>> =
  {
    [Op.div]: ["udivmod", "quotient"],
    [Op.sdiv]: ["sdivmod", "quotient"],
    [Op.mod]: ["udivmod", "remainder"],
    [Op.smod]: ["sdivmod", "remainder"],
  };

/** Words of the frame record. */
const FRAME_WORDS: Readonly<Record<number, number>> = {
  [Op.address]: FRAME_ADDRESS,
  [Op.caller]: FRAME_CALLER,
  [Op.callValue]: FRAME_VALUE,
};
/** 32-bit numbers of the frame record. */
const FRAME_NUMBERS: Readonly<Record<number, number>> = {
  [Op.callDataSize]: FRAME_INPUT_SIZE,
  [Op.codeSize]: FRAME_CODE_SIZE,
  [Op.returnDataSize]: FRAME_RETURN_DATA_SIZE,
};

/** Opcodes that are compiled; the interpreter runs all others. */
const OPERATIONS: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  ...Object.entries(BINARY).map(([opcode, write]) => row(Number(opcode), (place) => binary(place, write))),
  ...Object.entries(BY_CONSTANT).map(([opcode, [bound, write]]) =>
    row(Number(opcode), (place) => byConstant(place, bound, write)),
  ),
  ...Object.entries(DIVISIONS).map(([opcode, [name, part]]) =>
    row(Number(opcode), (place) => divide(place, name, part)),
  ),
  ...Object.entries(FRAME_WORDS).map(([opcode, at]) =>
    row(Number(opcode), (place) => load(place, FRAME, at)),
  ),
  ...Object.entries(FRAME_NUMBERS).map(([opcode, at]) =>
    row(Number(opcode), (place) => loadNumber(place, at)),
  ),
  ...CONSTANT_OPCODES.map((opcode) => row(opcode, (place) => load(place, undefined, constantPlace(opcode)))),
  row(Op.mul, multiply),
  row(Op.addMod, (place) => modular(place, "addmod")),
  row(Op.mulMod, (place) => modular(place, "mulmod")),
  row(Op.isZero, (place) => unary(place, arithmetic.isZero)),
  row(Op.not, (place) => unary(place, arithmetic.not)),
  row(Op.keccak256, hash),
  row(Op.callDataLoad, loadInput),
  row(
    Op.pop,
    always(({ stack }) => stack.drop(1)),
  ),
  row(Op.mload, loadWord),
  row(Op.mstore, storeWord),
  row(Op.mstore8, storeByte),
  row(Op.sload, (place) => useSlot(place, "sload", [0])),
  row(Op.sstore, (place) => useSlot(place, "sstore", [0, 1])),
  row(
    Op.pc,
    always(({ stack, pc }) => stack.push(constantWord(BigInt(pc)))),
  ),
  row(Op.msize, pushMemorySize),
  row(Op.gas, pushGas),
  row(Op.jumpDest, () => true),
  ...range(Op.dup1, 16).map((opcode) =>
    row(
      opcode,
      always(({ stack }) => stack.duplicate(opcode - Op.dup1)),
    ),
  ),
  ...range(Op.swap1, 16).map((opcode) =>
    row(
      opcode,
      always(({ stack }) => stack.swap(opcode - Op.swap1 + 1)),
    ),
  ),
]);

function row(opcode: number, operation: Operation): [number, Operation] {
  return [opcode, operation];
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

/** An operation that can always be emitted. */
function always(write: (place: Place) => void): Operation {
  return (place) => {
    write(place);
    return true;
  };
}

/** Emits an opcode other than a jump; if it cannot be compiled, as a call of the interpreter. */
export function writeOperation(place: Place): void {
  if (OPERATIONS.get(place.opcode)?.(place)) return;
  place.stack.storeAll();
  writeStep(place);
  place.stack.replaceStored(place.pops, place.pushes);
}

function binary({ writer, stack }: Place, write: arithmetic.BinaryOperation): boolean {
  const [a, b] = [stack.pop(), stack.pop()];
  const word = write(writer, a, b);
  writer.locals.release(...a, ...b);
  stack.push(word);
  return true;
}

function unary({ writer, stack }: Place, write: (writer: PartWriter, a: Word) => Word): boolean {
  const a = stack.pop();
  const word = write(writer, a);
  writer.locals.release(...a);
  stack.push(word);
  return true;
}

function byConstant(
  { writer, stack }: Place,
  bound: bigint,
  write: (writer: PartWriter, word: Word, by: number) => Word,
): boolean {
  const by = stack.constant(0);
  if (by === undefined || by >= bound) return false;
  stack.drop(1);
  const a = stack.pop();
  const word = write(writer, a, Number(by));
  writer.locals.release(...a);
  stack.push(word);
  return true;
}

function multiply(place: Place): boolean {
  const { writer, stack } = place;
  const isConstant = stack.constant(0) !== undefined && stack.constant(1) !== undefined;
  if (isConstant || writer.takeProduct()) return binary(place, writtenOut);
  stack.store(2);
  stack.address(1);
  stack.address(0);
  stack.address(1);
  writer.callRuntime("mul");
  stack.replaceStored(2, 1);
  return true;
}

function divide({ writer, stack }: Place, name: RuntimeFunction, part: "quotient" | "remainder"): boolean {
  stack.store(2);
  if (part === "quotient") {
    stack.address(1);
    writer.i32(0);
  } else {
    writer.i32(0);
    stack.address(1);
  }
  stack.address(0);
  stack.address(1);
  writer.callRuntime(name);
  stack.replaceStored(2, 1);
  return true;
}

function modular({ writer, stack }: Place, name: RuntimeFunction): boolean {
  stack.store(3);
  for (const depth of [2, 0, 1, 2]) stack.address(depth);
  writer.callRuntime(name);
  stack.replaceStored(3, 1);
  return true;
}

function load({ writer, stack }: Place, base: number | undefined, at: number): boolean {
  const word = wordOf((i) => {
    if (base === undefined) writer.i32(0);
    else writer.get(base);
    writer.load64(at + i * 8);
    return writer.keep();
  });
  stack.push(word);
  return true;
}

function loadNumber({ writer, stack }: Place, at: number): boolean {
  writer.get(FRAME).load32To64(at);
  stack.push(smallWord(writer.keep()));
  return true;
}

/** SLOAD and SSTORE, with the depths of their operands: if the slot is not in linear memory, the interpreter runs them. */
function useSlot(place: Place, name: RuntimeFunction, operands: readonly number[]): boolean {
  const { writer, stack, pops, pushes } = place;
  stack.storeAll();
  writer.get(FRAME);
  for (const depth of operands) stack.address(depth);
  writer.get(GAS).callRuntime(name);
  const left = writer.keepCopy();
  writer.i64(0n).raw(op.i64LessSigned);
  writer.if();
  writeStep(place);
  writer.else();
  writer.get(left).set(GAS);
  writer.end();
  writer.locals.release(left);
  stack.replaceStored(pops, pushes);
  return true;
}

function loadInput({ writer, stack }: Place): boolean {
  stack.store(1);
  stack.address(0);
  writer.get(FRAME).load32(FRAME_INPUT).get(FRAME).load32(FRAME_INPUT_SIZE).callRuntime("loadPadded");
  stack.replaceStored(1, 1);
  return true;
}

function pushMemorySize({ writer, stack }: Place): boolean {
  writer.get(MEMORY_SIZE).raw(op.i64ExtendUnsigned);
  stack.push(smallWord(writer.keep()));
  return true;
}

function pushGas({ writer, stack }: Place): boolean {
  writer.get(GAS);
  stack.push(smallWord(writer.keep()));
  return true;
}
