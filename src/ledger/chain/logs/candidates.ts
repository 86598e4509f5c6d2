import type { LogIndex } from "./log-index.ts";
import { type PostingCursor, TermCursor, UnionCursor } from "./posting-cursor.ts";
import type { Term } from "./term.ts";

/** A block with the logs in it to be checked; none if the search merely reports its progress. */
export interface LogCandidate {
  readonly block: number;
  /** Indexes of logs within the block, ascending. */
  readonly indexes: readonly number[];
}

/** Steps without a candidate after which a search reports its progress. */
const MARK_EVERY = 256;

/**
 * Finds the logs in blocks `from` to `to` that have a term of every group. The groups' cursors leapfrog each other, so that
 * the rarest group determines the cost. To be finished, or closed, before the next block is committed.
 * @param groups - at least one
 */
export function* candidates(
  index: LogIndex,
  groups: readonly (readonly Term[])[],
  from: number,
  to: number,
): Generator<LogCandidate, undefined> {
  if (from > to) return;
  const cursors = groups.map((terms) => cursorOf(index, terms, from));
  try {
    let steps = 0;
    for (let block = from; block <= to; ) {
      const next = furthest(cursors, block);
      if (next > to) return;
      const indexes = next === block ? common(cursors) : [];
      if (indexes.length > 0 || ++steps % MARK_EVERY === 0) yield { block, indexes };
      block = next === block ? block + 1 : next;
    }
  } finally {
    for (const cursor of cursors) cursor.close();
  }
}

function cursorOf(index: LogIndex, terms: readonly Term[], from: number): PostingCursor {
  const cursors = terms.map((term) => new TermCursor((block) => index.postings(term, block), from));
  return cursors.length === 1 ? (cursors[0] as PostingCursor) : new UnionCursor(cursors);
}

/**
 * Seeks all cursors to `block`.
 * @returns `block` if all of them have it; otherwise the next block of the first one that does not
 */
function furthest(cursors: readonly PostingCursor[], block: number): number {
  for (const cursor of cursors) {
    cursor.seek(block);
    if (cursor.block > block) return cursor.block;
  }
  return block;
}

/** Log indexes common to all cursors in their current block. */
function common(cursors: readonly PostingCursor[]): readonly number[] {
  return cursors
    .map((cursor) => cursor.indexes())
    .reduce((a, b) => {
      const other = new Set(b);
      return a.filter((index) => other.has(index));
    });
}
