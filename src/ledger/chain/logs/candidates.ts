import type { LogIndex } from "./log-index.ts";
import { type PostingCursor, TermCursor, UnionCursor } from "./posting-cursor.ts";
import type { Term } from "./term.ts";

/** A block and the logs in it that are worth a look; none when a search has merely come as far as this block. */
export interface Candidate {
  readonly block: number;
  /** Places among the logs of the block, ascending. */
  readonly places: readonly number[];
}

/** Steps without a candidate after which a search says how far it is. */
const MARK_EVERY = 256;

/**
 * Finds the logs that have a term of every group, in the blocks `from` to `to`. Each group goes on to the block where
 * another one stands, so that the rarest of them sets the pace. To be finished, or closed, before the next block is
 * committed.
 * @param groups - at least one
 */
export function* candidates(
  index: LogIndex,
  groups: readonly (readonly Term[])[],
  from: number,
  to: number,
): Generator<Candidate, undefined> {
  if (from > to) return;
  const cursors = groups.map((terms) => cursorOf(index, terms, from));
  try {
    let steps = 0;
    for (let block = from; block <= to; ) {
      const next = furthest(cursors, block);
      if (next > to) return;
      const places = next === block ? common(cursors) : [];
      if (places.length > 0 || ++steps % MARK_EVERY === 0) yield { block, places };
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

/** Moves all to `block`, or to the first one behind it where one of them must go; the block they agree on, or that one. */
function furthest(cursors: readonly PostingCursor[], block: number): number {
  for (const cursor of cursors) {
    cursor.seek(block);
    if (cursor.block > block) return cursor.block;
  }
  return block;
}

/** Places that all have in the block where they stand. */
function common(cursors: readonly PostingCursor[]): readonly number[] {
  return cursors
    .map((cursor) => cursor.places())
    .reduce((a, b) => {
      const other = new Set(b);
      return a.filter((place) => other.has(place));
    });
}
