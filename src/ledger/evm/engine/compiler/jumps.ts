import { op } from "../../../../protocol/wasm/code.ts";
import { EXIT_PART, EXIT_STOP, EXIT_YIELD, FRAME_BLOCKS, FRAME_CODE_SIZE, FRAME_JUMPS } from "../layout.ts";
import { pushFits32, pushIsZero } from "./arithmetic.ts";
import type { CodeParts } from "./blocks.ts";
import { constantOf, type Word } from "./locals.ts";
import { BLOCK, EXIT, FRAME, GAS, type PartWriter, PC, SP, YIELD_AT } from "./part-writer.ts";
import { type Place, writeStepExit } from "./step.ts";
import type { VirtualStack } from "./virtual-stack.ts";

/** Emits the control flow between blocks of a part, to other parts, and out of the program. */
export class Jumps {
  readonly #writer: PartWriter;
  readonly #parts: CodeParts;
  readonly #first: number;
  readonly #count: number;
  #leave = 0;
  #again = 0;
  /** Labels at the start of the blocks. */
  #labels: readonly number[] = [];

  /** @param first - number of the part's first block @param count - number of its blocks */
  constructor(writer: PartWriter, parts: CodeParts, first: number, count: number) {
    this.#writer = writer;
    this.#parts = parts;
    this.#first = first;
    this.#count = count;
  }

  /** Opens the loop around the sequence of blocks, with a jump table at its start. Each block begins with `end`. */
  begin(): void {
    const writer = this.#writer;
    this.#leave = writer.block();
    this.#again = writer.loop();
    this.#labels = Array.from({ length: this.#count }, () => writer.block()).reverse();
    writer.get(BLOCK).i32(this.#first).raw(op.i32Sub).branchTable(this.#labels);
  }

  /** Closes the loop after the last block. */
  end(): void {
    this.#leaveTo(this.#first + this.#count);
    this.#writer.end();
    this.#writer.end();
  }

  /** Leaves the program at `pc`. */
  exit(exit: number, pc: number): void {
    this.#writer.i32(pc).set(PC).i32(exit).set(EXIT).branch(this.#leave);
  }

  #setStackPointer(stack: VirtualStack, depth: number): void {
    stack.address(depth);
    this.#writer.set(SP);
  }

  /** Emits JUMP, at the end of block `number`. */
  write(place: Place, number: number): void {
    const { stack } = place;
    const to = stack.operand(0);
    const target = this.#targetOf(to);
    if (target === undefined) stack.storeAll();
    else stack.storeBelow(1);
    this.#writeTaken(place, to, target, number);
    stack.drop(1);
    stack.spill();
  }

  /** Emits JUMPI, which falls through if not taken. */
  writeConditional(place: Place, number: number): void {
    const { writer, stack } = place;
    const [to, condition] = [stack.operand(0), stack.operand(1)];
    const target = this.#targetOf(to);
    if (target === undefined) stack.storeAll();
    else stack.storeBelow(2);
    pushIsZero(writer, condition);
    writer.raw(op.i32Eqz);
    writer.if();
    this.#writeTaken(place, to, target, number);
    writer.end();
    stack.drop(2);
  }

  /** The block at a constant jump target; undefined if the target is not constant or invalid. */
  #targetOf(to: Word): number | undefined {
    const constant = constantOf(to);
    return constant === undefined ? undefined : this.#parts.targets.get(Number(constant));
  }

  /**
   * Emits a taken jump, with its operands still on the stack, all of which is in memory.
   * @param target - the block, if it is known: the operands then need not be in memory
   */
  #writeTaken(place: Place, to: Word, target: number | undefined, number: number): void {
    const { writer, stack, pops } = place;
    if (constantOf(to) === undefined) {
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
    if (target !== undefined) {
      this.#setStackPointer(stack, pops - 1);
      this.goTo(target, number);
      return;
    }
    // not a target: the interpreter runs the opcode, which fails
    writeStepExit(place);
    writer.return();
  }

  /** Pushes, as an i32, whether `PC`, inside the code, is a jump target. */
  #pushIsTarget(): void {
    const writer = this.#writer;
    writer.get(FRAME).load32(FRAME_JUMPS).get(PC).i32(3).raw(op.i32ShiftRightUnsigned, op.i32Add).load8(0);
    writer.get(PC).i32(7).raw(op.i32And, op.i32ShiftRightUnsigned).i32(1).raw(op.i32And);
  }

  /** Jumps to `PC`, a jump target. */
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
    if (this.#parts.blocks.length > this.#count) {
      writer.get(BLOCK).i32(this.#parts.partBits).raw(op.i32ShiftRightUnsigned);
      writer.i32(this.#first >>> this.#parts.partBits).raw(op.i32NotEqual);
      writer.if();
      writer.get(BLOCK).i32(EXIT_PART).raw(op.i32Add).set(EXIT).branch(this.#leave);
      writer.end();
    }
    writer.branch(this.#again);
  }

  /** Jumps to a block known at compile time; `number` is the current block. */
  goTo(target: number, number: number): void {
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

  /** Yields at `PC` when the quantum of gas is used up. */
  #yieldWhenDue(): void {
    const writer = this.#writer;
    writer.get(GAS).get(YIELD_AT).raw(op.i64LessSigned);
    writer.if();
    writer.i32(EXIT_YIELD).set(EXIT).branch(this.#leave);
    writer.end();
  }

  /** Leaves to a block of another part, or stops after the last block. */
  #leaveTo(target: number): void {
    const block = this.#parts.blocks[target];
    if (block) this.exit(EXIT_PART + target, block.start);
    else this.exit(EXIT_STOP, this.#parts.code.length);
  }
}
