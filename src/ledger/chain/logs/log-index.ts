import { joinLists } from "../../../platform/runtime/lists-by-key.ts";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import { numberKey, numberOfKey } from "../../database/table/number-key.ts";
import type { Row, StateStore } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";
import {
  decodePostings,
  endOfTerm,
  POSTING_TABLE,
  type Postings,
  postingKey,
  postingRow,
} from "./posting-row.ts";
import { ADDRESS, ANY_LOG, type Term, termOf } from "./term.ts";

/** Key of the row with the newest block whose logs are in rows; it is no term's. */
const INDEXED_KEY = Uint8Array.of(0);

/**
 * Postings and receipts held in memory before they are written as rows. More make for longer posting lists per row; but
 * they are written all at once along with a block, and rebuilt from the receipts after a restart.
 */
const LIMIT = 8_192;

/** Logs processed per step, and numbers of postings encoded. */
const LOGS_PER_STEP = 1024;
const NUMBERS_PER_STEP = 8192;

/** The logs of a block, as input of the index. */
export interface BlockLogs {
  readonly number: number;
  /** For each receipt. */
  readonly logs: readonly (readonly Log[])[];
}

/** A prepared change of the index. */
export interface IndexChange {
  /** To be written in the same record as the change of the chain. */
  readonly rows: readonly Row[];
  /** To be called once they have been written. */
  readonly done: () => void;
}

/** Returns the blocks after `number` that have receipts, in order. */
export type LogsAfter = (number: number) => Iterable<BlockLogs>;

/**
 * Inverted index of all logs of the chain, as posting lists by term: those of the newest blocks in memory, the others in
 * rows, which are written with a block and so always agree with the chain.
 */
export class LogIndex {
  readonly #store: Pick<StateStore, "get" | "range">;
  readonly #logsAfter: LogsAfter;
  readonly #limit: number;
  #recent = new Map<Term, number[]>();
  #weight = 0;
  /** Newest block whose logs are in rows; undefined until the first use. */
  #indexed: number | undefined;
  /** Newest block whose logs are in rows or in memory. */
  #last = 0;

  /** @param limit - maximum postings and receipts in memory */
  constructor(store: Pick<StateStore, "get" | "range">, logsAfter: LogsAfter, limit = LIMIT) {
    this.#store = store;
    this.#limit = limit;
    this.#logsAfter = logsAfter;
  }

  /**
   * Adds the next block, in steps; postings in memory are written as rows once there are many. The index must not change
   * before `done`.
   */
  *follow(block: BlockLogs): Generator<void, IndexChange> {
    this.#load();
    const rows = this.#weight < this.#limit ? [] : yield* this.#rows();
    const added = yield* postingsOf(block);
    return {
      rows,
      done: () => {
        if (rows.length > 0) {
          this.#indexed = this.#last;
          this.#forget();
        }
        this.#add(block, added);
      },
    };
  }

  /** Removes the blocks above `number`. @param blocks - these, newest first */
  leave(number: number, blocks: readonly BlockLogs[]): IndexChange {
    this.#load();
    const isInRows = number < (this.#indexed as number);
    return {
      rows: isInRows ? this.#removal(number, blocks) : [],
      done: () => {
        if (isInRows) {
          this.#indexed = number;
          this.#forget();
        } else for (const block of blocks) this.#remove(block);
        this.#last = number;
      },
    };
  }

  /** Reloads from the store after it was replaced. */
  reload(): void {
    this.#indexed = undefined;
    this.#forget();
  }

  /**
   * The postings of a term from block `from` on, in several parts, the first of which may begin earlier. To be finished
   * before the next block is committed.
   */
  *postings(term: Term, from: number): Generator<Postings> {
    this.#load();
    if (from <= (this.#indexed as number)) {
      const rows = this.#store.range(POSTING_TABLE, postingKey(term, from), endOfTerm(term));
      for (const [key, value] of rows) yield decodePostings(key, value);
    }
    const recent = this.#recent.get(term);
    if (recent !== undefined) yield recent;
  }

  #load(): void {
    if (this.#indexed !== undefined) return;
    this.#indexed = indexedBlock(this.#store) ?? 0;
    this.#last = this.#indexed;
    try {
      for (const block of this.#logsAfter(this.#indexed)) this.#add(block, runSync(postingsOf(block)));
    } catch (error) {
      // A block that cannot be read is retried by the next search, which would otherwise miss logs.
      this.reload();
      throw error;
    }
  }

  #add({ number, logs }: BlockLogs, { terms, count }: BlockPostings): void {
    this.#recent = joinLists(this.#recent, terms);
    this.#weight += count + logs.length;
    this.#last = number;
  }

  #remove(block: BlockLogs): void {
    this.#weight -= block.logs.length;
    forEachPosting(block, (term) => {
      const postings = this.#recent.get(term) as number[];
      postings.length -= 2;
      this.#weight--;
      if (postings.length === 0) this.#recent.delete(term);
    });
  }

  *#rows(): Generator<void, Row[]> {
    const rows = [indexedRow(this.#last)];
    let numbers = 0;
    for (const [term, postings] of this.#recent) {
      rows.push(postingRow(term, postings));
      numbers += postings.length;
      if (numbers < NUMBERS_PER_STEP) continue;
      numbers = 0;
      yield;
    }
    return rows;
  }

  #removal(number: number, blocks: readonly BlockLogs[]): Row[] {
    const indexed = this.#indexed as number;
    const terms = new Set<Term>();
    for (const block of blocks) if (block.number <= indexed) forEachPosting(block, (term) => terms.add(term));
    const rows = [indexedRow(number)];
    for (const term of terms) rows.push(...this.#shortened(term, number));
    return rows;
  }

  /** The rows of a term without the blocks above `number`. */
  *#shortened(term: Term, number: number): Generator<Row> {
    const rows = this.#store.range(POSTING_TABLE, postingKey(term, number + 1), endOfTerm(term));
    for (const [key, value] of rows) {
      yield { table: POSTING_TABLE, key: key.slice(), value: null };
      const left = upTo(decodePostings(key, value), number);
      if (left.length > 0) yield postingRow(term, left);
    }
  }

  #forget(): void {
    this.#recent.clear();
    this.#weight = 0;
  }
}

/** Newest block whose logs are in rows; undefined if there is no index yet. */
export function indexedBlock(store: Pick<StateStore, "get">): number | undefined {
  const row = store.get(POSTING_TABLE, INDEXED_KEY);
  return row && Number(numberOfKey(row));
}

/** The row with the newest block whose logs are in rows. */
export function indexedRow(number: number): Row {
  return { table: POSTING_TABLE, key: INDEXED_KEY, value: numberKey(BigInt(number)) };
}

/** The index's input from an executed block. */
export function logsOf({ block, receipts }: ExecutedBlock): BlockLogs {
  return { number: Number(block.header.number), logs: receipts.map(({ logs }) => logs) };
}

/** The postings of one block. */
interface BlockPostings {
  readonly terms: Map<Term, number[]>;
  readonly count: number;
}

function* postingsOf(block: BlockLogs): Generator<void, BlockPostings> {
  const terms = new Map<Term, number[]>();
  let count = 0;
  let index = 0;
  const add = (term: Term): void => {
    const known = terms.get(term);
    if (known === undefined) terms.set(term, [block.number, index]);
    else known.push(block.number, index);
    count++;
  };
  for (const logs of block.logs)
    for (const log of logs) {
      forEachTerm(log, index === 0, add);
      if (++index % LOGS_PER_STEP === 0) yield;
    }
  return { terms, count };
}

/** Calls `post` with the term and the log index of each posting of a block. */
export function forEachPosting({ logs }: BlockLogs, post: (term: Term, index: number) => void): void {
  let index = 0;
  for (const ofReceipt of logs)
    for (const log of ofReceipt) {
      forEachTerm(log, index === 0, (term) => post(term, index));
      index++;
    }
}

/** @param isFirst - whether it is the first log of its block */
function forEachTerm({ address, topics }: Log, isFirst: boolean, post: (term: Term) => void): void {
  if (isFirst) post(ANY_LOG);
  post(termOf(ADDRESS, address));
  for (let i = 0; i < topics.length; i++) post(termOf(i + 1, topics[i] as Uint8Array));
}

function upTo(postings: Postings, block: number): Postings {
  let length = postings.length;
  while (length > 0 && (postings[length - 2] as number) > block) length -= 2;
  return postings.slice(0, length);
}
