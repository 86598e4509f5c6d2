import { op } from "../../../../protocol/wasm/code.ts";
import { Op } from "../../tables/op.ts";
import { pushIsZero } from "./arithmetic.ts";
import { writeBody } from "./block-body.ts";
import type { CodeParts } from "./blocks.ts";
import type { Cost, LoopShape, PassBlock } from "./loop-shape.ts";
import { COMPUTATION, GAS, type PartWriter, SP } from "./part-writer.ts";
import type { Place } from "./step.ts";
import type { VirtualStack } from "./virtual-stack.ts";

/** Emits one iteration of a loop: its blocks in sequence, without the jumps between them. */
export class LoopPass {
  readonly #parts: CodeParts;
  readonly #shape: LoopShape;
  readonly #writer: PartWriter;
  readonly #stack: VirtualStack;
  readonly #leave: (target: number) => void;

  /** @param leave - emits the jump to the ordinary code of a block */
  constructor(
    parts: CodeParts,
    shape: LoopShape,
    writer: PartWriter,
    stack: VirtualStack,
    leave: (target: number) => void,
  ) {
    this.#parts = parts;
    this.#shape = shape;
    this.#writer = writer;
    this.#stack = stack;
    this.#leave = leave;
  }

  /** Emits the iteration; the cost of its first blocks must be checked before. */
  write(): void {
    for (const [i, block] of this.#shape.blocks.entries()) {
      if (block.price && i > 0) this.#check(block.number, block.price);
      if (block.price) this.#charge(block.price, op.i64Sub);
      const last = writeBody(this.#parts, block.block, this.#writer, this.#stack);
      if (last) this.#jump(last, block);
    }
  }

  /** Leaves to the ordinary code of a block if it cannot be charged together with those after it. */
  #check(number: number, { gas, computation }: Cost): void {
    const writer = this.#writer;
    const goes = writer.block();
    const stays = writer.block();
    writer.get(GAS).i64(BigInt(gas)).raw(op.i64LessSigned).branchIf(stays);
    writer.get(COMPUTATION).i64(BigInt(computation)).raw(op.i64LessSigned).branchIf(stays);
    writer.branch(goes);
    writer.end();
    this.#exit(number, 0);
    writer.end();
  }

  #charge({ gas, computation }: Cost, sign: number): void {
    const writer = this.#writer;
    if (gas > 0) writer.get(GAS).i64(BigInt(gas)).raw(sign).set(GAS);
    if (computation > 0) writer.get(COMPUTATION).i64(BigInt(computation)).raw(sign).set(COMPUTATION);
  }

  #jump({ opcode, pops }: Place, { exit, next, number, rest }: PassBlock): void {
    const writer = this.#writer;
    if (opcode === Op.jumpI && exit !== undefined) {
      pushIsZero(writer, this.#stack.operand(1));
      if (next === number + 1) writer.raw(op.i32Eqz);
      writer.if();
      this.#charge(rest, op.i64Add);
      this.#exit(exit, pops);
      writer.end();
    }
    this.#stack.drop(pops);
  }

  /** Within a branch: leaves to the ordinary code of a block, with the top words dropped. */
  #exit(target: number, dropped: number): void {
    this.#stack.storeInBranch(dropped);
    this.#stack.address(dropped - 1);
    this.#writer.set(SP);
    this.#leave(target);
  }
}
