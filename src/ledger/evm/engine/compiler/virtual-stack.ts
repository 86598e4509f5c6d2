import { op } from "../../../../protocol/wasm/code.ts";
import { constantOf, type Word, wordOf } from "./locals.ts";
import { FLOOR, type PartWriter } from "./part-writer.ts";

const WORD_BYTES = 32;
const LIMB_BYTES = 8;
/** Maximum number of limbs in locals before all words are spilled to memory; more do not fit in registers anyway. */
const MAX_LIMBS = 160;

/** A stack word: in limbs, or only in memory. */
export interface StackEntry {
  readonly word: Word | undefined;
  /** Whether memory is up to date. */
  readonly isStored: boolean;
}

/** A word that is not in limbs yet. */
export const IN_MEMORY: StackEntry = { word: undefined, isStored: true };

/**
 * The EVM stack within a basic block or one iteration of a loop: words are held in locals and constants once they are computed or
 * first read, and are stored to memory only when needed there. Index 0 is the deepest word that the block accesses, at the address
 * in `FLOOR`.
 */
export class VirtualStack {
  readonly #writer: PartWriter;
  readonly #entries: StackEntry[];

  /** @param found - words already on the stack that the block accesses */
  constructor(writer: PartWriter, found: readonly StackEntry[]) {
    this.#writer = writer;
    this.#entries = [...found];
  }

  get height(): number {
    return this.#entries.length;
  }

  /** Offset from `FLOOR` of the word at `depth` (0 = top). */
  offset(depth: number): number {
    return (this.height - 1 - depth) * WORD_BYTES;
  }

  /** Pushes the address of the word at `depth`; -1 = the word above the top. */
  address(depth: number): void {
    this.#writer.get(FLOOR).i32(this.offset(depth)).raw(op.i32Add);
  }

  push(word: Word): void {
    this.#entries.push({ word, isStored: false });
    if (this.#writer.locals.used > MAX_LIMBS) this.spill();
  }

  /** Pops the top word, whose limbs the caller must release. */
  pop(): Word {
    const { word } = this.#load(this.height - 1);
    this.#entries.pop();
    return word as Word;
  }

  /** The limbs of the word at `depth`, without a new reference. */
  operand(depth: number): Word {
    return this.#load(this.height - 1 - depth).word as Word;
  }

  /** The value of the word at `depth`; undefined if it is not constant. */
  constant(depth: number): bigint | undefined {
    const word = this.#entries[this.height - 1 - depth]?.word;
    return word && constantOf(word);
  }

  /** The entry at an index. */
  entry(index: number): StackEntry {
    return this.#entries[index] as StackEntry;
  }

  /** The limbs of the word at an index, without a new reference. */
  load(index: number): Word {
    return this.#load(index).word as Word;
  }

  /** Drops the top words. */
  drop(count: number): void {
    for (const { word } of this.#entries.splice(this.height - count)) {
      if (word) this.#writer.locals.release(...word);
    }
  }

  duplicate(depth: number): void {
    const { word } = this.#load(this.height - 1 - depth);
    this.push(wordOf((i) => this.#writer.locals.share((word as Word)[i])));
  }

  /** Swaps the top and the word at `depth`. */
  swap(depth: number): void {
    const top = this.height - 1;
    const [a, b] = [this.#load(top), this.#load(top - depth)];
    this.#entries[top] = { ...b, isStored: false };
    this.#entries[top - depth] = { ...a, isStored: false };
  }

  /** Accounts for a runtime call that has popped `dropped` words and written `count` words to memory in their place. */
  replaceStored(dropped: number, count: number): void {
    this.drop(dropped);
    for (let i = 0; i < count; i++) this.#entries.push(IN_MEMORY);
  }

  /** Stores the word at an index to memory. */
  storeOne(index: number): void {
    this.#storeRange(index, index + 1);
  }

  /** Stores the top `count` words to memory. */
  store(count: number): void {
    this.#storeRange(this.height - count, this.height);
  }

  /** Stores all words but the top `count` to memory. */
  storeBelow(count: number): void {
    this.#storeRange(0, this.height - count);
  }

  #storeRange(from: number, to: number): void {
    for (let index = from; index < to; index++) {
      const entry = this.#entries[index] as StackEntry;
      this.#write(index, entry);
      this.#entries[index] = { ...entry, isStored: true };
    }
  }

  /** Stores all words to memory and keeps their limbs. */
  storeAll(): void {
    this.store(this.height);
  }

  /** Stores all words but the top `count` to memory within a branch: after it they still count as not stored. */
  storeInBranch(count = 0): void {
    for (const [index, entry] of this.#entries.slice(0, this.height - count).entries())
      this.#write(index, entry);
  }

  /** Stores all words to memory and releases their limbs, unless they are constant. */
  spill(): void {
    this.storeAll();
    for (const [index, { word }] of this.#entries.entries()) {
      if (!word || constantOf(word) !== undefined) continue;
      this.#writer.locals.release(...word);
      this.#entries[index] = IN_MEMORY;
    }
  }

  #load(index: number): StackEntry {
    const known = this.#entries[index] as StackEntry;
    if (known.word) return known;
    const word: Word = wordOf((i) => {
      this.#writer.get(FLOOR).load64(index * WORD_BYTES + i * LIMB_BYTES);
      return this.#writer.keep();
    });
    const entry = { word, isStored: true };
    this.#entries[index] = entry;
    return entry;
  }

  #write(index: number, { word, isStored }: StackEntry): void {
    if (isStored || !word) return;
    for (const [limb, value] of word.entries()) {
      this.#writer
        .get(FLOOR)
        .limb(value)
        .store64(index * WORD_BYTES + limb * LIMB_BYTES);
    }
  }
}
