import { op } from "../../../../protocol/wasm/code.ts";
import { pushFits32 } from "./arithmetic.ts";
import { type Limb, type Word, wordOf } from "./locals.ts";
import { GAS, MEMORY, MEMORY_SIZE, SCRATCH, VECTOR } from "./part-writer.ts";
import { type Place, writeStep } from "./step.ts";

/** Exclusive bound of offsets used as the immediate of a load or store. */
const MAX_IMMEDIATE = 1n << 31n;
/** Gas per word hashed. */
const HASH_WORD_GAS = 6n;

/** A memory access in bounds: at the address in `SCRATCH` plus an offset. */
interface Access {
  readonly offset: number;
}

/** MLOAD */
export function loadWord(place: Place): boolean {
  const { writer, stack } = place;
  const address = stack.operand(0);
  const limbs = wordOf(() => writer.locals.take());
  const access = begin(place, address, 32);
  for (const [lane, from] of [
    [1, 0],
    [0, 16],
  ] as const) {
    writer
      .get(SCRATCH)
      .loadVector(access.offset + from)
      .reverseVector(VECTOR)
      .tee(VECTOR);
    writer.extractLane(0).set(limbs[lane * 2] as number);
    writer
      .get(VECTOR)
      .extractLane(1)
      .set(limbs[lane * 2 + 1] as number);
  }
  writer.else();
  stack.storeInBranch();
  writeStep(place);
  for (const [i, limb] of limbs.entries()) {
    stack.address(0);
    writer.load64(i * 8).set(limb);
  }
  writer.end();
  stack.drop(1);
  stack.push(limbs);
  return true;
}

/** MSTORE */
export function storeWord(place: Place): boolean {
  const { writer, stack } = place;
  const address = stack.operand(0);
  const value = stack.operand(1);
  const access = begin(place, address, 32);
  for (const [low, to] of [
    [2, 0],
    [0, 16],
  ] as const) {
    writer.get(SCRATCH);
    writer
      .limb(value[low] as Limb)
      .splat()
      .limb(value[low + 1] as Limb)
      .replaceLane(1);
    writer.reverseVector(VECTOR).storeVector(access.offset + to);
  }
  endStore(place);
  return true;
}

/** Ends a store: if memory has to be expanded, the interpreter runs the opcode. */
function endStore(place: Place): void {
  const { writer, stack } = place;
  writer.else();
  stack.storeInBranch();
  writeStep(place);
  writer.end();
  stack.drop(2);
}

/** MSTORE8 */
export function storeByte(place: Place): boolean {
  const { writer, stack } = place;
  const address = stack.operand(0);
  const [low] = stack.operand(1);
  const access = begin(place, address, 1);
  writer.get(SCRATCH).limb(low).raw(op.i32Wrap).store8(access.offset);
  endStore(place);
  return true;
}

/** KECCAK256 of a constant region, as for the slot of a mapping entry. */
export function hash(place: Place): boolean {
  const { writer, stack } = place;
  const [offset, size] = [stack.constant(0), stack.constant(1)];
  if (offset === undefined || size === undefined || size === 0n || offset + size > MAX_IMMEDIATE)
    return false;
  const gas = HASH_WORD_GAS * ((size + 31n) / 32n);
  writer
    .get(MEMORY_SIZE)
    .i32(Number(offset + size) - 1)
    .raw(op.i32GreaterUnsigned);
  writer.get(GAS).i64(gas).raw(op.i64LessSigned, op.i32Eqz, op.i32And);
  writer.if();
  writer.get(GAS).i64(gas).raw(op.i64Sub).set(GAS);
  stack.address(1);
  writer.get(MEMORY).i32(Number(offset)).raw(op.i32Add).i32(Number(size)).callRuntime("keccak256");
  writer.else();
  stack.storeInBranch();
  writeStep(place);
  writer.end();
  stack.replaceStored(2, 1);
  return true;
}

/** Opens the branch for an access in bounds; the else branch is for `writeStep`. */
function begin({ writer }: Place, address: Word, length: number): Access {
  const [low, ...high] = address;
  if (typeof low === "bigint" && high.every((limb) => limb === 0n) && low < MAX_IMMEDIATE) {
    const offset = Number(low);
    writer
      .get(MEMORY_SIZE)
      .i32(offset + length - 1)
      .raw(op.i32GreaterUnsigned);
    writer.if();
    writer.get(MEMORY).set(SCRATCH);
    return { offset };
  }
  pushFits32(writer, address);
  writer.limb(low).i64(BigInt(length)).raw(op.i64Add);
  writer.get(MEMORY_SIZE).raw(op.i64ExtendUnsigned, op.i64LessOrEqualUnsigned, op.i32And);
  writer.if();
  writer.get(MEMORY).limb(low).raw(op.i32Wrap, op.i32Add).set(SCRATCH);
  return { offset: 0 };
}
