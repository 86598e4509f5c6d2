import type { Postings } from "./posting-row.ts";

/** Reads the postings of a term from a block on, in parts; the first may begin earlier. */
export type ReadPostings = (from: number) => Iterator<Postings>;

/** A cursor over an ascending list of blocks with log indexes. */
export interface PostingCursor {
  /** The current block; infinite at the end. */
  readonly block: number;
  /** Indexes of the logs in this block, ascending. */
  indexes(): readonly number[];
  /** Advances to the first block at or after `block`. */
  seek(block: number): void;
  /** Releases its resources. */
  close(): void;
}

const NOTHING: Postings = [];

/** The postings of one term. */
export class TermCursor implements PostingCursor {
  readonly #read: ReadPostings;
  #parts: Iterator<Postings>;
  #part: Postings = NOTHING;
  #at = 0;

  constructor(read: ReadPostings, from: number) {
    this.#read = read;
    this.#parts = read(from);
    this.#take();
    this.seek(from);
  }

  get block(): number {
    return this.#at < this.#part.length ? (this.#part[this.#at] as number) : Number.POSITIVE_INFINITY;
  }

  indexes(): readonly number[] {
    const { block } = this;
    const indexes: number[] = [];
    for (let at = this.#at; this.#part[at] === block; at += 2) indexes.push(this.#part[at + 1] as number);
    return indexes;
  }

  seek(block: number): void {
    if (this.#endsBefore(block)) this.#take();
    if (this.#endsBefore(block)) {
      // Far away: restart there instead of reading all rows in between.
      this.close();
      this.#parts = this.#read(block);
      this.#take();
    }
    if (this.block < block) this.#at = firstAtLeast(this.#part, this.#at, block);
  }

  close(): void {
    this.#parts.return?.();
  }

  #endsBefore(block: number): boolean {
    return this.#part.length > 0 && (this.#part[this.#part.length - 2] as number) < block;
  }

  #take(): void {
    const step = this.#parts.next();
    this.#part = step.done === true ? NOTHING : step.value;
    this.#at = 0;
  }
}

/** The union of the postings of several terms. */
export class UnionCursor implements PostingCursor {
  readonly #cursors: readonly PostingCursor[];

  constructor(cursors: readonly PostingCursor[]) {
    this.#cursors = cursors;
  }

  get block(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { block } of this.#cursors) if (block < first) first = block;
    return first;
  }

  indexes(): readonly number[] {
    const { block } = this;
    const here = this.#cursors.filter((cursor) => cursor.block === block);
    if (here.length === 1) return (here[0] as PostingCursor).indexes();
    return [...new Set(here.flatMap((cursor) => cursor.indexes()))].sort((a, b) => a - b);
  }

  seek(block: number): void {
    for (const cursor of this.#cursors) if (cursor.block < block) cursor.seek(block);
  }

  close(): void {
    for (const cursor of this.#cursors) cursor.close();
  }
}

/** Offset of the first posting from `at` on that is at or after `block`, by galloping search. */
function firstAtLeast(postings: Postings, at: number, block: number): number {
  let low = at / 2;
  let step = 1;
  while ((postings[2 * (low + step)] ?? block) < block) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, postings.length / 2);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((postings[2 * middle] as number) < block) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
