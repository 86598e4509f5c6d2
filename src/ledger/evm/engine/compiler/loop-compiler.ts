import { op } from "../../../../protocol/wasm/code.ts";
import { CodeTooLong } from "../../../../protocol/wasm/code-writer.ts";
import { pushFilled } from "./arithmetic.ts";
import type { CodeParts } from "./blocks.ts";
import type { Jumps } from "./jumps.ts";
import { type Limb, type Word, wordOf } from "./locals.ts";
import { LoopPass } from "./loop-pass.ts";
import type { LoopPath, Loops } from "./loop-paths.ts";
import { type LoopShape, shapeOf } from "./loop-shape.ts";
import { COMPUTATION, FLOOR, GAS, type PartWriter, SP, STACK, STACK_END, YIELD_AT } from "./part-writer.ts";
import { IN_MEMORY, type StackEntry, VirtualStack } from "./virtual-stack.ts";

/** Maximum size of one version of a loop, bytes; a larger loop is compiled block by block. */
const MAX_LOOP_BYTES = 16 * 1024;
/** Maximum number of trials to find the words that stay small. */
const MAX_DRAFTS = 4;

/** How a stack word is held at the start of an iteration, if not in memory. */
interface Held {
  /** Whether memory is up to date, too. */
  readonly isStored: boolean;
  /** Whether it is below 2^64. */
  readonly isSmall: boolean;
}

/** How the words of a loop are held, deepest first; undefined = in memory. */
type Holding = readonly (Held | undefined)[];

/**
 * Compiles loops whose words stay in locals across iterations. A loop is emitted before the ordinary code of its head block, which
 * takes over if an iteration cannot be charged or the quantum is used up; leaving the path continues with the ordinary code of another block.
 */
export class LoopCompiler {
  readonly #writer: PartWriter;
  readonly #parts: CodeParts;
  readonly #loops: Loops;
  readonly #jumps: Jumps;

  constructor(writer: PartWriter, parts: CodeParts, loops: Loops, jumps: Jumps) {
    this.#writer = writer;
    this.#parts = parts;
    this.#loops = loops;
    this.#jumps = jumps;
  }

  /** Emits the loop with the head block `head`, if there is one: first a version for small numbers, then the general one. */
  write(head: number): void {
    const path = this.#loops.get(head);
    if (path === undefined) return;
    const shape = shapeOf(this.#parts, path);
    const holdings = this.#draft(shape);
    if (holdings.length === 0) return;
    const writer = this.#writer;
    const behind = writer.block();
    this.#begin(shape, behind);
    for (const [i, holding] of holdings.entries()) {
      const isLast = i === holdings.length - 1;
      const other = isLast ? behind : writer.block();
      this.#writeForm(path, shape, holding, other, behind);
      if (!isLast) writer.end();
    }
    writer.end();
  }

  /** Determines by trial compilation how the words are held: in the version for numbers that stay small, if any, and in the general one. */
  #draft(shape: LoopShape): readonly Holding[] {
    try {
      const first = this.#attempt(shape, new Array(shape.needs).fill(undefined)).stack;
      const general = Array.from({ length: shape.needs }, (_, index): Held | undefined => {
        const { word, isStored } = first.entry(index);
        return word && { isStored, isSmall: false };
      });
      const small = this.#findSmall(shape, general);
      return small ? [small, general] : [general];
    } catch (error) {
      if (error instanceof CodeTooLong) return [];
      throw error;
    }
  }

  /** The holding in which some changing words stay below 2^64 unless something overflows; undefined if there are none. */
  #findSmall(shape: LoopShape, general: Holding): Holding | undefined {
    let holding: Holding = general.map((held) => held && { ...held, isSmall: true });
    for (let i = 0; i < MAX_DRAFTS; i++) {
      const { stack, writer, words } = this.#attempt(shape, holding);
      const next = holding.map((held, index) => {
        const { word } = stack.entry(index);
        const staysSmall = word?.slice(1).every((limb) => writer.locals.isCarry(limb)) ?? false;
        return held && { ...held, isSmall: held.isSmall && staysSmall };
      });
      const isSettled = next.every((held, index) => held?.isSmall === holding[index]?.isSmall);
      if (isSettled) {
        const changes = holding.some(
          (held, index) => held?.isSmall && stack.entry(index).word !== words[index],
        );
        return changes ? holding : undefined;
      }
      holding = next;
    }
    return undefined;
  }

  #attempt(shape: LoopShape, holding: Holding) {
    const writer = this.#writer.draft(MAX_LOOP_BYTES);
    const entries = entriesOf(writer, holding);
    const stack = new VirtualStack(writer, entries);
    new LoopPass(this.#parts, shape, writer, stack, () => undefined).write();
    return { writer, stack, words: entries.map(({ word }) => word) };
  }

  /** Sets `FLOOR`, or branches to `behind` on stack underflow or overflow. */
  #begin({ needs, growth }: LoopShape, behind: number): void {
    const writer = this.#writer;
    writer.get(SP);
    if (needs > 0) writer.i32(needs * 32).raw(op.i32Sub);
    writer.set(FLOOR);
    if (needs > 0) writer.get(FLOOR).get(STACK).raw(op.i32LessUnsigned).branchIf(behind);
    if (growth === 0) return;
    writer
      .get(SP)
      .i32(growth * 32)
      .raw(op.i32Add);
    writer.get(STACK_END).raw(op.i32GreaterUnsigned).branchIf(behind);
  }

  /** Emits a version of a loop; it branches to `other` if a word is not small, to `behind` if an iteration cannot be charged. */
  #writeForm(path: LoopPath, shape: LoopShape, holding: Holding, other: number, behind: number): void {
    const writer = this.#writer;
    this.#checkSmall(holding, other);
    const entries = entriesOf(writer, holding);
    const words = entries.map(({ word }) => word);
    const owned = words.flatMap((word) => word ?? []);
    for (const limb of owned) writer.locals.share(limb);
    for (const [index, word] of words.entries()) if (word) this.#loadWord(index, word);
    const least = this.#leastGas(shape);
    const again = writer.loop();
    const stack = new VirtualStack(writer, entries);
    this.#checkPass(shape, stack, least, behind);
    const number = path[0]?.number as number;
    const leave = (target: number) => this.#jumps.goTo(target, number);
    new LoopPass(this.#parts, shape, writer, stack, leave).write();
    this.#checkSmallAgain(holding, stack, other);
    this.#passOn(holding, words, stack);
    writer.branch(again);
    writer.end();
    stack.drop(stack.height);
    writer.locals.release(...owned, least);
  }

  /** Branches to `other` if a word in memory that should be small is not. */
  #checkSmall(holding: Holding, other: number): void {
    const writer = this.#writer;
    const indexes = [...holding.keys()].filter((index) => holding[index]?.isSmall);
    if (indexes.length === 0) return;
    writer.i64(0n);
    for (const index of indexes)
      for (const limb of [1, 2, 3])
        writer
          .get(FLOOR)
          .load64(index * 32 + limb * 8)
          .raw(op.i64Or);
    writer.i64(0n).raw(op.i64NotEqual).branchIf(other);
  }

  #loadWord(index: number, word: Word): void {
    for (const [i, limb] of word.entries())
      if (typeof limb === "number")
        this.#writer
          .get(FLOOR)
          .load64(index * 32 + i * 8)
          .set(limb);
  }

  /** The gas, in a new local, below which the ordinary code of the head takes over: an iteration cannot be charged, or the quantum is used up. */
  #leastGas({ blocks }: LoopShape): number {
    const price = BigInt(blocks[0]?.price?.gas ?? 0);
    const writer = this.#writer;
    writer.get(YIELD_AT).i64(price);
    writer.i64(price).get(YIELD_AT).raw(op.i64LessSigned, op.select);
    return writer.keep();
  }

  /** Branches to `behind`, with all words in memory, if the first blocks of an iteration cannot be charged or the quantum is used up. */
  #checkPass({ blocks }: LoopShape, stack: VirtualStack, least: number, behind: number): void {
    const writer = this.#writer;
    const goes = writer.block();
    const stays = writer.block();
    writer.get(GAS).get(least).raw(op.i64LessSigned).branchIf(stays);
    const computation = BigInt(blocks[0]?.price?.computation ?? 0);
    writer.get(COMPUTATION).i64(computation).raw(op.i64LessSigned).branchIf(stays);
    writer.branch(goes);
    writer.end();
    stack.storeInBranch();
    writer.branch(behind);
    writer.end();
  }

  /** At the end of an iteration: branches to `other`, with all words in memory, if a word is no longer small. */
  #checkSmallAgain(holding: Holding, stack: VirtualStack, other: number): void {
    const writer = this.#writer;
    const limbs: Limb[] = [];
    for (const [index, held] of holding.entries())
      if (held?.isSmall)
        limbs.push(
          ...stack
            .load(index)
            .slice(1)
            .filter((limb) => limb !== 0n),
        );
    if (limbs.length === 0) return;
    pushFilled(writer, limbs);
    writer.if();
    stack.storeInBranch();
    writer.branch(other);
    writer.end();
  }

  /** Moves the words at the end of an iteration to where the next one expects them. */
  #passOn(holding: Holding, words: readonly (Word | undefined)[], stack: VirtualStack): void {
    const writer = this.#writer;
    const moves: (readonly [from: Limb, to: number])[] = [];
    for (const [index, held] of holding.entries()) {
      if (held === undefined || held.isStored) stack.storeOne(index);
      const to = words[index];
      if (to === undefined) continue;
      const from = stack.load(index);
      for (const [i, limb] of to.entries())
        if (typeof limb === "number" && limb !== from[i]) moves.push([from[i] as Limb, limb]);
    }
    for (const [from] of moves) writer.limb(from);
    for (const [, to] of moves.reverse()) writer.set(to);
  }
}

/** Stack entries of a holding, with new locals. */
function entriesOf(writer: PartWriter, holding: Holding): readonly StackEntry[] {
  return holding.map((held) => {
    if (held === undefined) return IN_MEMORY;
    const word = wordOf((i): Limb => (held.isSmall && i > 0 ? 0n : writer.locals.take()));
    return { word, isStored: held.isStored };
  });
}
