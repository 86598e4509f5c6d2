import { I32, I64, leb, op, V128 } from "../../../../protocol/wasm/code.ts";
import {
  COMPUTATION_LEFT,
  EXIT_FALLBACK,
  EXIT_PART,
  EXIT_STOP,
  EXIT_YIELD,
  FRAME_BLOCKS,
  FRAME_CODE_SIZE,
  FRAME_GAS,
  FRAME_JUMPS,
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_PC,
  FRAME_SP,
  FRAME_STACK,
  NEEDS_EXACT,
  OP_ENDS,
  OP_POPS,
  OP_PUSHES,
} from "../layout.ts";
import { pushFits32, pushIsZero } from "./arithmetic.ts";
import { type BasicBlock, flagsOf, nextPc } from "./blocks.ts";
import { constantOf, constantWord, type Word } from "./locals.ts";
import { writeOperation } from "./operations.ts";
import {
  BLOCK,
  COMPUTATION,
  EXIT,
  FIRST_LIMB,
  FLOOR,
  FRAME,
  GAS,
  I32_LOCALS,
  MEMORY,
  MEMORY_SIZE,
  PartWriter,
  PC,
  SP,
  STACK,
  STACK_END,
  YIELD_AT,
} from "./part-writer.ts";
import { type Place, writeStepExit } from "./step.ts";
import { VirtualStack } from "./virtual-stack.ts";

/** Most words of a stack, in bytes. */
const STACK_BYTES = 1024 * 32;

const JUMP = 0x56;
const JUMPI = 0x57;
/** RETURNDATACOPY and GAS end a block and go on behind it. */
const GOES_ON = new Set([0x3e, 0x5a]);

/** A code to be compiled. */
export interface CodeParts {
  readonly code: Uint8Array;
  /** The opcode table, laid out as in linear memory. */
  readonly table: DataView;
  readonly blocks: readonly BasicBlock[];
  /** Numbers of the blocks at valid jump targets. */
  readonly targets: ReadonlyMap<number, number>;
  /** Blocks of each part but the last, a power of two as an exponent. */
  readonly partBits: number;
}

/**
 * Compiles the blocks of one part to a function `(frame, block, yield at) → exit`.
 * @param part - number of the part
 * @param limit - most bytes of it
 * @returns the body with its locals, as the code section holds it, without its length
 * @throws CodeTooLong
 */
export function compilePart(parts: CodeParts, part: number, limit: number): Uint8Array {
  const writer = new PartWriter(limit);
  new PartCompiler(writer, parts, part).write();
  const { bytes, locals } = writer;
  const kinds = [
    [I32_LOCALS, I32],
    [1, V128],
    [FIRST_LIMB - GAS + locals.count, I64],
  ] as const;
  const header = [...leb(kinds.length), ...kinds.flatMap(([count, type]) => [...leb(count), type])];
  const body = new Uint8Array(header.length + bytes.length);
  body.set(header);
  body.set(bytes, header.length);
  return body;
}

class PartCompiler {
  readonly #writer: PartWriter;
  readonly #parts: CodeParts;
  readonly #first: number;
  readonly #blocks: readonly BasicBlock[];
  #leave = 0;
  #again = 0;
  /** Labels in front of the blocks that come later. */
  #labels: readonly number[] = [];

  constructor(writer: PartWriter, parts: CodeParts, part: number) {
    this.#writer = writer;
    this.#parts = parts;
    this.#first = part << parts.partBits;
    this.#blocks = parts.blocks.slice(this.#first, (part + 1) << parts.partBits);
  }

  /** Blocks lie one behind the other inside a loop that begins with a jump to one of them. */
  write(): void {
    const writer = this.#writer;
    this.#loadState();
    this.#leave = writer.block();
    this.#again = writer.loop();
    this.#labels = this.#blocks.map(() => writer.block()).reverse();
    writer.get(BLOCK).i32(this.#first).raw(op.i32Sub).branchTable(this.#labels);
    for (const [i, block] of this.#blocks.entries()) {
      writer.end();
      this.#writeBlock(block, this.#first + i);
    }
    this.#leaveTo(this.#first + this.#blocks.length);
    writer.end();
    writer.end();
    this.#storeState();
    writer.get(EXIT).end();
  }

  #loadState(): void {
    const fields = [
      [FRAME_SP, SP],
      [FRAME_STACK, STACK],
      [FRAME_MEMORY, MEMORY],
      [FRAME_MEMORY_SIZE, MEMORY_SIZE],
    ] as const;
    for (const [field, local] of fields) this.#writer.get(FRAME).load32(field).set(local);
    this.#writer.get(STACK).i32(STACK_BYTES).raw(op.i32Add).set(STACK_END);
    this.#writer.get(FRAME).load64(FRAME_GAS).set(GAS);
    this.#writer.i32(COMPUTATION_LEFT).load64(0).set(COMPUTATION);
  }

  #storeState(): void {
    this.#writer.get(FRAME).get(SP).store32(FRAME_SP).get(FRAME).get(PC).store32(FRAME_PC);
    this.#writer.get(FRAME).get(GAS).store64(FRAME_GAS);
    this.#writer.i32(COMPUTATION_LEFT).get(COMPUTATION).store64(0);
  }

  #exit(exit: number, pc: number): void {
    this.#writer.i32(pc).set(PC).i32(exit).set(EXIT).branch(this.#leave);
  }

  #writeBlock(block: BasicBlock, number: number): void {
    const writer = this.#writer;
    if (block.needs === NEEDS_EXACT) {
      this.#exit(EXIT_FALLBACK, block.start);
      return;
    }
    this.#check(block);
    const stack = new VirtualStack(writer, block.needs);
    for (let pc = block.start; pc < block.end; ) {
      const opcode = this.#parts.code[pc] ?? 0;
      const next = nextPc(pc, opcode);
      if (opcode >= 0x60 && opcode <= 0x7f) stack.push(this.#pushed(pc + 1, next));
      else if (this.#writeOpcode(this.#place(stack, opcode, pc), number)) return;
      pc = next;
    }
    stack.storeAll();
    this.#setStackPointer(stack, -1);
    stack.spill();
  }

  /** Pays the block, or leaves it to the exact loop where something in it could fail. */
  #check({ start, gas, computation, needs, growth }: BasicBlock): void {
    const writer = this.#writer;
    writer.get(SP);
    if (needs > 0) writer.i32(needs * 32).raw(op.i32Sub);
    writer.set(FLOOR);
    writer.get(GAS).i64(BigInt(gas)).raw(op.i64LessSigned);
    writer.get(COMPUTATION).i64(BigInt(computation)).raw(op.i64LessSigned, op.i32Or);
    if (needs > 0) writer.get(FLOOR).get(STACK).raw(op.i32LessUnsigned, op.i32Or);
    if (growth > 0) {
      writer
        .get(SP)
        .i32(growth * 32)
        .raw(op.i32Add)
        .get(STACK_END)
        .raw(op.i32GreaterUnsigned, op.i32Or);
    }
    writer.if();
    this.#exit(EXIT_FALLBACK, start);
    writer.end();
    writer.get(GAS).i64(BigInt(gas)).raw(op.i64Sub).set(GAS);
    writer.get(COMPUTATION).i64(BigInt(computation)).raw(op.i64Sub).set(COMPUTATION);
  }

  #pushed(from: number, to: number): Word {
    let value = 0n;
    for (let at = from; at < to; at++) value = (value << 8n) | BigInt(this.#parts.code[at] ?? 0);
    return constantWord(value);
  }

  #place(stack: VirtualStack, opcode: number, pc: number): Place {
    const { table } = this.#parts;
    const pops = table.getUint16(opcode * 16 + OP_POPS, true);
    const pushes = table.getUint16(opcode * 16 + OP_PUSHES, true);
    return { writer: this.#writer, stack, opcode, pc, pops, pushes };
  }

  /** @returns whether the block ends with it, and control goes elsewhere than behind it */
  #writeOpcode(place: Place, number: number): boolean {
    const { opcode } = place;
    if (opcode === JUMP) {
      this.#writeJump(place, number);
      return true;
    }
    const ends = flagsOf(this.#parts.table, opcode) & OP_ENDS && !GOES_ON.has(opcode);
    if (opcode === JUMPI) this.#writeConditionalJump(place, number);
    else if (ends) {
      place.stack.storeAll();
      writeStepExit(place);
      this.#writer.return();
      place.stack.spill();
      return true;
    } else writeOperation(place);
    return false;
  }

  #setStackPointer(stack: VirtualStack, depth: number): void {
    stack.address(depth);
    this.#writer.set(SP);
  }

  #writeJump(place: Place, number: number): void {
    const { stack } = place;
    const to = stack.operand(0);
    stack.storeAll();
    this.#writeTaken(place, to, number);
    stack.spill();
  }

  #writeConditionalJump(place: Place, number: number): void {
    const { writer, stack } = place;
    const [to, condition] = [stack.operand(0), stack.operand(1)];
    stack.storeAll();
    pushIsZero(writer, condition);
    writer.raw(op.i32Eqz);
    writer.if();
    this.#writeTaken(place, to, number);
    writer.end();
    stack.drop(2);
  }

  /** A jump that is taken, its operands still on the stack, all of which lies in memory. */
  #writeTaken(place: Place, to: Word, number: number): void {
    const { writer, stack, pops } = place;
    const constant = constantOf(to);
    if (constant === undefined) {
      pushFits32(writer, to);
      writer.limb(to[0]).get(FRAME).load32To64(FRAME_CODE_SIZE).raw(op.i64LessUnsigned, op.i32And);
      writer.if();
      writer.limb(to[0]).raw(op.i32Wrap).set(PC);
      this.#pushIsTarget();
      writer.if();
      this.#setStackPointer(stack, pops - 1);
      this.#goToFound();
      writer.end();
      writer.end();
    }
    const target = constant === undefined ? undefined : this.#parts.targets.get(Number(constant));
    if (target !== undefined) {
      this.#setStackPointer(stack, pops - 1);
      this.#goTo(target, number);
      return;
    }
    // not a target: the exact loop runs the opcode again and finds out how it fails
    writeStepExit(place);
    writer.return();
  }

  /** Pushes, as an i32, whether `PC`, inside the code, is a jump target. */
  #pushIsTarget(): void {
    const writer = this.#writer;
    writer.get(FRAME).load32(FRAME_JUMPS).get(PC).i32(3).raw(op.i32ShiftRightUnsigned, op.i32Add).load8(0);
    writer.get(PC).i32(7).raw(op.i32And, op.i32ShiftRightUnsigned).i32(1).raw(op.i32And);
  }

  /** Goes on at `PC`, a jump target. */
  #goToFound(): void {
    const writer = this.#writer;
    writer
      .get(FRAME)
      .load32(FRAME_BLOCKS)
      .get(PC)
      .i32(1)
      .raw(op.i32ShiftLeft, op.i32Add)
      .load16(8)
      .set(BLOCK);
    this.#yieldWhenDue();
    if (this.#parts.blocks.length > this.#blocks.length) {
      writer.get(BLOCK).i32(this.#parts.partBits).raw(op.i32ShiftRightUnsigned);
      writer.i32(this.#first >>> this.#parts.partBits).raw(op.i32NotEqual);
      writer.if();
      writer.get(BLOCK).i32(EXIT_PART).raw(op.i32Add).set(EXIT).branch(this.#leave);
      writer.end();
    }
    writer.branch(this.#again);
  }

  /** Goes on with a block known beforehand; `number` is the block under way. */
  #goTo(target: number, number: number): void {
    const writer = this.#writer;
    if (target <= number) {
      writer.i32(this.#parts.blocks[target]?.start ?? 0).set(PC);
      this.#yieldWhenDue();
    }
    const label = this.#labels[target - this.#first];
    if (label === undefined) this.#leaveTo(target);
    else if (target > number) writer.branch(label);
    else writer.i32(target).set(BLOCK).branch(this.#again);
  }

  /** Leaves at `PC` when the quantum of gas is used. */
  #yieldWhenDue(): void {
    const writer = this.#writer;
    writer.get(GAS).get(YIELD_AT).raw(op.i64LessSigned);
    writer.if();
    writer.i32(EXIT_YIELD).set(EXIT).branch(this.#leave);
    writer.end();
  }

  /** Leaves to a block of another part, or stops where there is none behind the last. */
  #leaveTo(target: number): void {
    const block = this.#parts.blocks[target];
    if (block) this.#exit(EXIT_PART + target, block.start);
    else this.#exit(EXIT_STOP, this.#parts.code.length);
  }
}
