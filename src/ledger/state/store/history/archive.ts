import { concat } from "../../../../protocol/primitives/bytes.ts";
import type { Database } from "../../../database/database.ts";
import type { Table } from "../../../database/table/table.ts";
import { ACCOUNT_KEY, keyAfter } from "../flat/flat-changes.ts";
import { keyNumber } from "../tables.ts";
import { ACCOUNT, rowKey, SLOT } from "./archive-key.ts";
import { HistoryIndex } from "./history-index.ts";
import { StagedArchive } from "./staged-archive.ts";

const LAST = new Uint8Array(8).fill(0xff);

/** Rows examined per step. */
const ROWS_PER_STEP = 1024;

/**
 * Previous values of flat rows. For each retained state, the archive holds the rows that changed before the next retained
 * one, as they were in that state, under the number of the block right after it. A row in the retained state after block n
 * is thus the first entry above n, or else the current row. If every state is retained, these are the rows each block
 * overwrote.
 */
export class Archive {
  readonly #database: Database;
  readonly #table: Table;
  readonly #index = new HistoryIndex();

  constructor(database: Database, table: Table) {
    this.#database = database;
    this.#table = table;
  }

  /** Entries to be gathered without effects, and then added by `adopt`. */
  stage(): StagedArchive {
    return new StagedArchive(this.#table);
  }

  /** Adds gathered entries, in time proportional to the smaller of those and what has changed since the last flush. */
  adopt({ rows, blocks }: StagedArchive): void {
    this.#index.follow(this.#database.flushes);
    this.#table.adopt(rows);
    this.#index.adopt(blocks);
  }

  /** Removes the entry of block `number`; blocks are undone newest first. */
  remove(number: bigint, key: Uint8Array): void {
    this.#index.follow(this.#database.flushes);
    this.#table.put(rowKey(key, number), null);
    this.#index.remove(key, Number(number));
  }

  /** The row after block `number`: null for none, undefined if it has not changed since. A view. */
  rowAfter(key: Uint8Array, number: bigint): Uint8Array | null | undefined {
    const block = this.#index.firstAfter(key, Number(number));
    // An unflushed block may precede one in the engine, as the numbers of undone blocks are reused.
    const end = rowKey(key, block === undefined ? LAST : BigInt(block));
    for (const [stored] of this.#table.stored(rowKey(key, number + 1n), end)) {
      // An undone block may still be in the engine.
      const row = this.#table.view(stored.slice());
      if (row) return row.length === 0 ? null : row;
    }
    if (block === undefined) return undefined;
    const row = this.#table.view(end) as Uint8Array;
    return row.length === 0 ? null : row;
  }

  /** The rows that changed after block `number`, as they were after it, in key order starting at `from`. */
  *rowsAfter(number: bigint, from: Uint8Array): Generator<readonly [Uint8Array, Uint8Array | null]> {
    const kind = from.length === ACCOUNT_KEY ? ACCOUNT : SLOT;
    const to = after(from.length === ACCOUNT_KEY ? kind : concat(kind, from.subarray(0, ACCOUNT_KEY)));
    let last: Uint8Array | undefined;
    for (const [key, row] of this.#table.range(concat(kind, from), to)) {
      const flatKey = key.subarray(1, -8);
      if (keyNumber(key) <= number || (last && Buffer.compare(last, flatKey) === 0)) continue;
      last = flatKey;
      yield [flatKey, row.length === 0 ? null : row];
    }
  }

  /**
   * As `rowsAfter`, for all accounts or for the slots of one, in parts; each part is read at once, but blocks may be added
   * between two parts.
   * @param owner - hashed address of that account; undefined for the accounts themselves
   */
  *changedAfter(number: bigint, owner: Uint8Array | undefined): Generator<[Uint8Array, Uint8Array | null][]> {
    const prefix = owner ? concat(SLOT, owner) : ACCOUNT;
    let last: Uint8Array | undefined;
    for (let from: Uint8Array | undefined = prefix; from; ) {
      const found: [Uint8Array, Uint8Array | null][] = [];
      let looked = 0;
      let next: Uint8Array | undefined;
      for (const [key, row] of this.#table.range(from, after(prefix))) {
        next = key;
        if (looked++ === ROWS_PER_STEP) break;
        next = undefined;
        const flatKey = key.subarray(1, -8);
        if (keyNumber(key) <= number || (last && Buffer.compare(last, flatKey) === 0)) continue;
        last = flatKey.slice();
        found.push([last, row.length === 0 ? null : row.slice()]);
      }
      yield found;
      from = next?.slice();
    }
  }
}

/** The first key above all keys with this prefix. */
const after = (prefix: Uint8Array) => keyAfter(prefix) as Uint8Array;
