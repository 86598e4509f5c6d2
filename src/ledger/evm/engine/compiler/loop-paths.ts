import { NEEDS_EXACT, OP_ENDS, OP_POPS, OP_PUSHES } from "../layout.ts";
import { type CodeParts, flagsOf, GOES_ON, JUMP, JUMPDEST, JUMPI, nextPc, pushedBy } from "./blocks.ts";

/** A block on the way round a loop. */
export interface PathBlock {
  /** Number of the block. */
  readonly number: number;
  /** Number of the block that comes next; behind the last one the head. */
  readonly next: number;
  /** Where its conditional jump goes that the loop does not follow: the way out. */
  readonly exit: number | undefined;
  /** Words more than at the head. */
  readonly height: number;
}

/** One way round a loop, from its head back to it, with the stack as high as before. */
export type LoopPath = readonly PathBlock[];
/** Loops by the number of the block at their head. */
export type Loops = ReadonlyMap<number, LoopPath>;

/** Blocks of a path. */
const MAX_BLOCKS = 24;
/** Blocks looked at on the search for a path, whatever the code. */
const MAX_LOOKS = 96;
/** Bytes of code looked at on all searches together, and loops of a code: a hostile code must not make compiling long. */
const MAX_BYTES = 400_000;
const MAX_LOOPS = 64;
/** Words that a stack can hold. */
const MAX_HEIGHT = 1024;
/** Numbers that are not a place in any code are not followed. */
const MAX_PLACE = 0xffff;

/**
 * The innermost loops of a code: for each block that a jump behind it goes back to, the shortest way round. Jumps on the way have to go to
 * places known beforehand, as those out of a function do whose caller is on the way.
 */
export function findLoops(parts: CodeParts): Loops {
  const paths: Map<number, LoopPath> = new Map();
  const budget = { bytes: MAX_BYTES };
  // inner loops begin behind their outer ones
  for (const head of [...headsOf(parts)].sort((a, b) => b - a)) {
    if (paths.size === MAX_LOOPS) break;
    const path = new PathSearch(parts, head, paths, budget).find();
    if (path) paths.set(head, path);
  }
  return paths;
}

/** Blocks to which a jump goes back that stands right behind the push of its target. */
function headsOf({ code, blocks, targets }: CodeParts): ReadonlySet<number> {
  const heads: Set<number> = new Set();
  for (const [number, { start, end }] of blocks.entries()) {
    let pushed: number | undefined;
    for (let pc = start; pc < end; ) {
      const opcode = code[pc] ?? 0;
      const target = pushed === undefined ? undefined : targets.get(pushed);
      if ((opcode === JUMP || opcode === JUMPI) && target !== undefined && target <= number)
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

/** What is known of the stack: constants that may be places in the code. */
class KnownStack {
  /** The words, the deepest that was touched first. */
  readonly #words: (number | undefined)[];
  /** How many of the words at the bottom were there before. */
  #found: number;

  constructor(words: readonly (number | undefined)[] = [], found = 0) {
    this.#words = [...words];
    this.#found = found;
  }

  copy(): KnownStack {
    return new KnownStack(this.#words, this.#found);
  }

  /** Words more than at the beginning. */
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

  /** The word `depth` places below the top. */
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

/** Looks for the shortest path from a block back to it. */
class PathSearch {
  readonly #parts: CodeParts;
  readonly #head: number;
  readonly #inner: Loops;
  readonly #budget: { bytes: number };
  #best: LoopPath | undefined;
  #looks = 0;

  /** @param inner - loops that the path must not lead through @param budget - bytes that may still be looked at */
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

  /** Goes through a block and on to those that may come next. */
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
    if (last !== JUMP && last !== JUMPI) {
      const goesOn = !(flagsOf(table, last) & OP_ENDS) || GOES_ON.has(last);
      if (goesOn) this.#goTo(behind, stack, [...path, { number, next: behind, exit: undefined, height }]);
      return;
    }
    const place = stack.pop();
    const target = place === undefined ? undefined : targets.get(place);
    if (target === undefined) return;
    if (last === JUMP) {
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

  /** Does to the stack what the opcodes do, but for a jump at the end. @returns the last opcode */
  #follow(start: number, end: number, stack: KnownStack): number {
    const { code, table } = this.#parts;
    let opcode = 0;
    for (let pc = start; pc < end; pc = nextPc(pc, opcode)) {
      opcode = code[pc] ?? 0;
      const pushed = pushedBy(code, pc);
      if (pushed !== undefined) stack.push(placeOf(pushed));
      else if (opcode >= 0x80 && opcode <= 0x8f) stack.push(stack.at(opcode - 0x80));
      else if (opcode >= 0x90 && opcode <= 0x9f) stack.swap(opcode - 0x8f);
      else if (opcode !== JUMP && opcode !== JUMPI && opcode !== JUMPDEST) {
        for (let pops = table.getUint16(opcode * 16 + OP_POPS, true); pops > 0; pops--) stack.pop();
        for (let more = table.getUint16(opcode * 16 + OP_PUSHES, true); more > 0; more--)
          stack.push(undefined);
      }
    }
    return opcode;
  }
}
