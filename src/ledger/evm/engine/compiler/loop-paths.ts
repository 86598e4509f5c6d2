import { Op } from "../../tables/op.ts";
import { NEEDS_EXACT, OP_ENDS, OP_POPS, OP_PUSHES } from "../layout.ts";
import { type CodeParts, flagsOf, GOES_ON, nextPc, pushedBy } from "./blocks.ts";

/** A block on the path of a loop. */
export interface PathBlock {
  /** Number of the block. */
  readonly number: number;
  /** Number of the next block; the head after the last one. */
  readonly next: number;
  /** Number of the block that its conditional jump leaves the loop to. */
  readonly exit: number | undefined;
  /** Stack height relative to the head. */
  readonly height: number;
}

/** A path through a loop, from its head back to it, that leaves the stack height unchanged. */
export type LoopPath = readonly PathBlock[];
/** Loops by the number of the block at their head. */
export type Loops = ReadonlyMap<number, LoopPath>;

/** Maximum number of blocks in a path. */
const MAX_BLOCKS = 24;
/** Maximum number of blocks visited in the search for a path. */
const MAX_LOOKS = 96;
/** Maximum bytes of code visited by all searches, and maximum number of loops: bounds the compile time of hostile code. */
const MAX_BYTES = 400_000;
const MAX_LOOPS = 64;
/** Maximum stack height, words. */
const MAX_HEIGHT = 1024;
/** Larger constants cannot be jump targets. */
const MAX_PLACE = 0xffff;

/**
 * The innermost loops of bytecode: the shortest path for each target of a backward jump. Jumps on the path need targets known at
 * compile time, which includes the return from a function that is called on the path.
 */
export function findLoops(parts: CodeParts): Loops {
  const paths: Map<number, LoopPath> = new Map();
  const budget = { bytes: MAX_BYTES };
  // inner loops begin after their outer ones
  for (const head of [...headsOf(parts)].sort((a, b) => b - a)) {
    if (paths.size === MAX_LOOPS) break;
    const path = new PathSearch(parts, head, paths, budget).find();
    if (path) paths.set(head, path);
  }
  return paths;
}

/** Targets of backward jumps that directly follow the push of their target. */
function headsOf({ code, blocks, targets }: CodeParts): ReadonlySet<number> {
  const heads: Set<number> = new Set();
  for (const [number, { start, end }] of blocks.entries()) {
    let pushed: number | undefined;
    for (let pc = start; pc < end; ) {
      const opcode = code[pc] ?? 0;
      const target = pushed === undefined ? undefined : targets.get(pushed);
      if ((opcode === Op.jump || opcode === Op.jumpI) && target !== undefined && target <= number)
        heads.add(target);
      pushed = placeOf(pushedBy(code, pc));
      pc = nextPc(pc, opcode);
    }
  }
  return heads;
}

function placeOf(value: bigint | undefined): number | undefined {
  return value === undefined || value > MAX_PLACE ? undefined : Number(value);
}

/** Abstract stack of possible jump targets; all other words are unknown (undefined). */
class KnownStack {
  /** The words, starting with the deepest one accessed. */
  readonly #words: (number | undefined)[];
  /** Number of words at the bottom that were there at the start. */
  #found: number;

  constructor(words: readonly (number | undefined)[] = [], found = 0) {
    this.#words = [...words];
    this.#found = found;
  }

  copy(): KnownStack {
    return new KnownStack(this.#words, this.#found);
  }

  /** Stack height relative to the start. */
  get growth(): number {
    return this.#words.length - this.#found;
  }

  push(word: number | undefined): void {
    this.#words.push(word);
  }

  pop(): number | undefined {
    this.#reach(1);
    return this.#words.pop();
  }

  /** The word at `depth` (0 = top). */
  at(depth: number): number | undefined {
    this.#reach(depth + 1);
    return this.#words[this.#words.length - 1 - depth];
  }

  swap(depth: number): void {
    this.#reach(depth + 1);
    const top = this.#words.length - 1;
    const word = this.#words[top];
    this.#words[top] = this.#words[top - depth];
    this.#words[top - depth] = word;
  }

  #reach(count: number): void {
    for (; this.#words.length < count; this.#found++) this.#words.unshift(undefined);
  }
}

/** Searches the shortest path from a block back to itself. */
class PathSearch {
  readonly #parts: CodeParts;
  readonly #head: number;
  readonly #inner: Loops;
  readonly #budget: { bytes: number };
  #best: LoopPath | undefined;
  #looks = 0;

  /** @param inner - loops that the path must not contain @param budget - bytes that may still be visited */
  constructor(parts: CodeParts, head: number, inner: Loops, budget: { bytes: number }) {
    this.#parts = parts;
    this.#head = head;
    this.#inner = inner;
    this.#budget = budget;
  }

  find(): LoopPath | undefined {
    this.#enter(this.#head, new KnownStack(), []);
    return this.#best;
  }

  /** Visits a block and then its possible successors. */
  #enter(number: number, stack: KnownStack, path: LoopPath): void {
    const { code, blocks, table, targets } = this.#parts;
    const block = blocks[number];
    if (++this.#looks > MAX_LOOKS || path.length + 1 >= (this.#best?.length ?? MAX_BLOCKS)) return;
    if (block === undefined || block.end > code.length || block.needs === NEEDS_EXACT) return;
    if (number !== this.#head && this.#inner.has(number)) return;
    const behind = number + 1;
    const height = stack.growth;
    this.#budget.bytes -= block.end - block.start;
    if (this.#budget.bytes < 0 || height + block.growth > MAX_HEIGHT || block.needs - height > MAX_HEIGHT)
      return;
    const last = this.#follow(block.start, block.end, stack);
    if (last !== Op.jump && last !== Op.jumpI) {
      const goesOn = !(flagsOf(table, last) & OP_ENDS) || GOES_ON.has(last);
      if (goesOn) this.#goTo(behind, stack, [...path, { number, next: behind, exit: undefined, height }]);
      return;
    }
    const place = stack.pop();
    const target = place === undefined ? undefined : targets.get(place);
    if (target === undefined) return;
    if (last === Op.jump) {
      this.#goTo(target, stack, [...path, { number, next: target, exit: undefined, height }]);
      return;
    }
    stack.pop();
    this.#goTo(behind, stack.copy(), [...path, { number, next: behind, exit: target, height }]);
    this.#goTo(target, stack, [...path, { number, next: target, exit: behind, height }]);
  }

  #goTo(next: number, stack: KnownStack, path: LoopPath): void {
    if (next !== this.#head) this.#enter(next, stack, path);
    else if (stack.growth === 0 && path.length < (this.#best?.length ?? MAX_BLOCKS)) this.#best = path;
  }

  /** Applies the opcodes to the stack, except for a jump at the end. @returns the last opcode */
  #follow(start: number, end: number, stack: KnownStack): number {
    const { code, table } = this.#parts;
    let opcode = 0;
    for (let pc = start; pc < end; pc = nextPc(pc, opcode)) {
      opcode = code[pc] ?? 0;
      const pushed = pushedBy(code, pc);
      if (pushed !== undefined) stack.push(placeOf(pushed));
      else if (opcode >= Op.dup1 && opcode <= Op.dup16) stack.push(stack.at(opcode - Op.dup1));
      else if (opcode >= Op.swap1 && opcode <= Op.swap16) stack.swap(opcode - Op.swap1 + 1);
      else if (opcode !== Op.jump && opcode !== Op.jumpI && opcode !== Op.jumpDest) {
        for (let pops = table.getUint16(opcode * 16 + OP_POPS, true); pops > 0; pops--) stack.pop();
        for (let more = table.getUint16(opcode * 16 + OP_PUSHES, true); more > 0; more--)
          stack.push(undefined);
      }
    }
    return opcode;
  }
}
