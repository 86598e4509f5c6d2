import type { StateStore } from "../../state/state.ts";
import type { BlockTable } from "../tables/block-table.ts";
import { forEachPosting, indexedBlock } from "./log-index.ts";
import { allPostings } from "./posting-row.ts";
import type { Term } from "./term.ts";

/**
 * Compares the postings in rows with the logs of the chain.
 * @returns their number; undefined if they do not agree
 */
export function verifyLogIndex(store: StateStore, table: BlockTable): number | undefined {
  const wanted = new PostingSum();
  const indexed = indexedBlock(store) ?? 0;
  for (const block of table.logsAfter(0)) {
    if (block.number > indexed) break;
    forEachPosting(block, (term, index) => wanted.add(term, block.number, index));
  }
  const stored = new PostingSum();
  let before = { term: -1, block: -1 };
  for (const { term, postings } of allPostings(store)) {
    // Rows overlap, so that a search would miss some.
    if (term === before.term && (postings[0] as number) <= before.block) return undefined;
    for (let i = 0; i < postings.length; i += 2)
      stored.add(term, postings[i] as number, postings[i + 1] as number);
    before = { term, block: postings[postings.length - 2] as number };
  }
  return stored.equals(wanted) ? stored.count : undefined;
}

/** Order-independent checksum of postings: equal for different sets only with probability 2⁻⁶⁴. */
class PostingSum {
  count = 0;
  #low = 0;
  #high = 0;

  add(term: Term, block: number, index: number): void {
    this.count++;
    this.#low = (this.#low + mixed(0x9e3779b1, term, block, index)) | 0;
    this.#high = (this.#high + mixed(0x85ebca6b, term, block, index)) | 0;
  }

  equals(other: PostingSum): boolean {
    return this.count === other.count && this.#low === other.#low && this.#high === other.#high;
  }
}

function mixed(factor: number, ...numbers: readonly number[]): number {
  let hash = factor;
  for (const number of numbers) {
    for (const word of [number, number / 2 ** 32]) {
      hash = Math.imul(hash ^ word, factor);
      hash ^= hash >>> 15;
    }
  }
  return Math.imul(hash, 0xc2b2ae35) ^ hash;
}
