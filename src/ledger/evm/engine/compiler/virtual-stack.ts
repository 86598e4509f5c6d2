import { op } from "../../../../protocol/wasm/code.ts";
import { constantOf, type Word, wordOf } from "./locals.ts";
import { FLOOR, type PartWriter } from "./part-writer.ts";

const WORD_BYTES = 32;
const LIMB_BYTES = 8;
/** Limbs in locals beyond which words go back to memory: more do not fit registers anyway. */
const MAX_LIMBS = 160;

/** A word of the stack: in limbs, or only in its place in memory. */
export interface StackEntry {
  readonly word: Word | undefined;
  /** Whether its place in memory holds it. */
  readonly isStored: boolean;
}

/** A word that nothing is known of yet. */
export const IN_MEMORY: StackEntry = { word: undefined, isStored: true };

/**
 * The EVM's stack within a basic block, or one pass of a loop: words are in locals and constants from where they are made or first read, and are
 * written to their places in memory when something needs them there. Index 0 is the deepest word that the block touches, at the address
 * in `FLOOR`.
 */
export class VirtualStack {
  readonly #writer: PartWriter;
  readonly #entries: StackEntry[];

  /** @param found - the words that the block finds on the stack and touches */
  constructor(writer: PartWriter, found: readonly StackEntry[]) {
    this.#writer = writer;
    this.#entries = [...found];
  }

  get height(): number {
    return this.#entries.length;
  }

  /** Offset from `FLOOR` of the word `depth` places below the top. */
  offset(depth: number): number {
    return (this.height - 1 - depth) * WORD_BYTES;
  }

  /** Pushes the address of the word `depth` places below the top; at -1 is the place of the next word. */
  address(depth: number): void {
    this.#writer.get(FLOOR).i32(this.offset(depth)).raw(op.i32Add);
  }

  push(word: Word): void {
    this.#entries.push({ word, isStored: false });
    if (this.#writer.locals.used > MAX_LIMBS) this.spill();
  }

  /** Takes the top word; its limbs are the caller's, to be released. */
  pop(): Word {
    const { word } = this.#load(this.height - 1);
    this.#entries.pop();
    return word as Word;
  }

  /** The limbs of the word `depth` places below the top; they stay the stack's. */
  operand(depth: number): Word {
    return this.#load(this.height - 1 - depth).word as Word;
  }

  /** The value of the word `depth` places below the top, when it is constant. */
  constant(depth: number): bigint | undefined {
    const word = this.#entries[this.height - 1 - depth]?.word;
    return word && constantOf(word);
  }

  /** What is known of the word in a place. */
  entry(index: number): StackEntry {
    return this.#entries[index] as StackEntry;
  }

  /** The limbs of the word in a place; they stay the stack's. */
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

  /** Exchanges the top with the word `depth` places below it. */
  swap(depth: number): void {
    const top = this.height - 1;
    const [a, b] = [this.#load(top), this.#load(top - depth)];
    this.#entries[top] = { ...b, isStored: false };
    this.#entries[top - depth] = { ...a, isStored: false };
  }

  /** The runtime has written `count` words in the places above the `dropped` ones that it took. */
  replaceStored(dropped: number, count: number): void {
    this.drop(dropped);
    for (let i = 0; i < count; i++) this.#entries.push(IN_MEMORY);
  }

  /** Writes the word in a place there. */
  storeOne(index: number): void {
    this.#storeRange(index, index + 1);
  }

  /** Writes the top `count` words to their places. */
  store(count: number): void {
    this.#storeRange(this.height - count, this.height);
  }

  /** Writes all words but the top `count` to their places. */
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

  /** Writes all words to their places, where they stay known. */
  storeAll(): void {
    this.store(this.height);
  }

  /** Writes all words but the top `count` to their places in a branch of the code that others do not take. */
  storeInBranch(count = 0): void {
    for (const [index, entry] of this.#entries.slice(0, this.height - count).entries())
      this.#write(index, entry);
  }

  /** Writes all words to their places and forgets their limbs, unless they are constant. */
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
