import { I32, I64, leb, op, V128 } from "../../../../protocol/wasm/code.ts";
import { Op } from "../../tables/op.ts";
import {
  COMPUTATION_LEFT,
  EXIT_FALLBACK,
  FRAME_GAS,
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_PC,
  FRAME_SP,
  FRAME_STACK,
  NEEDS_EXACT,
} from "../layout.ts";
import { writeBody } from "./block-body.ts";
import type { BasicBlock, CodeParts } from "./blocks.ts";
import { Jumps } from "./jumps.ts";
import { LoopCompiler } from "./loop-compiler.ts";
import type { Loops } from "./loop-paths.ts";
import {
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
} from "./part-writer.ts";
import { writeStepExit } from "./step.ts";
import { IN_MEMORY, VirtualStack } from "./virtual-stack.ts";

/** Maximum size of a stack, bytes. */
const STACK_BYTES = 1024 * 32;

/**
 * Compiles the blocks of one part to a function `(frame, block, yield at) → exit`.
 * @param loops - loops to compile with their words in locals
 * @param part - number of the part
 * @param limit - maximum size, bytes
 * @returns the function body with its locals, as in the code section, without its length
 * @throws CodeTooLong
 */
export function compilePart(parts: CodeParts, loops: Loops, part: number, limit: number): Uint8Array {
  const writer = new PartWriter(limit);
  new PartCompiler(writer, parts, loops, part).write();
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
  readonly #jumps: Jumps;
  readonly #loops: LoopCompiler;

  constructor(writer: PartWriter, parts: CodeParts, loops: Loops, part: number) {
    this.#writer = writer;
    this.#parts = parts;
    this.#first = part << parts.partBits;
    this.#blocks = parts.blocks.slice(this.#first, (part + 1) << parts.partBits);
    this.#jumps = new Jumps(writer, parts, this.#first, this.#blocks.length);
    this.#loops = new LoopCompiler(writer, parts, loops, this.#jumps);
  }

  /** The blocks are emitted in sequence inside a loop that begins with a jump to one of them. */
  write(): void {
    const writer = this.#writer;
    this.#loadState();
    this.#jumps.begin();
    for (const [i, block] of this.#blocks.entries()) {
      writer.end();
      this.#writeBlock(block, this.#first + i);
    }
    this.#jumps.end();
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

  #writeBlock(block: BasicBlock, number: number): void {
    const writer = this.#writer;
    this.#loops.write(number);
    if (block.needs === NEEDS_EXACT) {
      this.#jumps.exit(EXIT_FALLBACK, block.start);
      return;
    }
    this.#check(block);
    const stack = new VirtualStack(writer, new Array(block.needs).fill(IN_MEMORY));
    const last = writeBody(this.#parts, block, writer, stack);
    if (last?.opcode === Op.jump) {
      this.#jumps.write(last, number);
      return;
    }
    if (last !== undefined && last.opcode !== Op.jumpI) {
      stack.storeAll();
      writeStepExit(last);
      writer.return();
      stack.spill();
      return;
    }
    if (last) this.#jumps.writeConditional(last, number);
    stack.storeAll();
    stack.address(-1);
    writer.set(SP);
    stack.spill();
  }

  /** Charges the block, or falls back to the exact loop if something in it could fail. */
  #check({ start, gas, computation, needs, growth }: BasicBlock): void {
    const writer = this.#writer;
    writer.get(SP);
    if (needs > 0) writer.i32(needs * 32).raw(op.i32Sub);
    writer.set(FLOOR);
    const fits = writer.block();
    const fails = writer.block();
    // one branch each: V8 fuses a comparison and its branch to one instruction, but needs three for a comparison alone
    writer.get(GAS).i64(BigInt(gas)).raw(op.i64LessSigned).branchIf(fails);
    writer.get(COMPUTATION).i64(BigInt(computation)).raw(op.i64LessSigned).branchIf(fails);
    if (needs > 0) writer.get(FLOOR).get(STACK).raw(op.i32LessUnsigned).branchIf(fails);
    if (growth > 0) {
      writer
        .get(SP)
        .i32(growth * 32)
        .raw(op.i32Add);
      writer.get(STACK_END).raw(op.i32GreaterUnsigned).branchIf(fails);
    }
    writer.branch(fits);
    writer.end();
    this.#jumps.exit(EXIT_FALLBACK, start);
    writer.end();
    writer.get(GAS).i64(BigInt(gas)).raw(op.i64Sub).set(GAS);
    writer.get(COMPUTATION).i64(BigInt(computation)).raw(op.i64Sub).set(COMPUTATION);
  }
}
