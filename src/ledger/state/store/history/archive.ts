import { concat } from "../../../../protocol/primitives/bytes.ts";
import type { Database } from "../../../database/database.ts";
import type { Table } from "../../../database/table/table.ts";
import { ACCOUNT_KEY, keyAfter } from "../flat/flat-changes.ts";
import { keyNumber, numberKey } from "../tables.ts";
import { HistoryIndex } from "./history-index.ts";

const ACCOUNT = Uint8Array.of(0);
const SLOT = Uint8Array.of(1);
const NO_ROW = new Uint8Array(0);
const LAST = new Uint8Array(8).fill(0xff);

/** Rows that are looked at in one step. */
const ROWS_A_STEP = 1024;

/**
 * Flat rows as they were after a state that is kept, under the number of the block that follows that state, where they
 * changed before the next one that is kept. The state after block n has, for each row, what the first later entry has, or
 * what is there now. Where every state is kept that is what each block overwrote.
 */
export class Archive {
  readonly #database: Database;
  readonly #table: Table;
  readonly #index = new HistoryIndex();

  constructor(database: Database, table: Table) {
    this.#database = database;
    this.#table = table;
  }

  /** Whether a row is noted for a block. */
  has(number: bigint, key: Uint8Array): boolean {
    return this.#table.view(rowKey(key, number)) !== undefined;
  }

  /** Notes what block `number` overwrites, it or a later one before the next state that is kept. */
  add(number: bigint, key: Uint8Array, before: Uint8Array | undefined): void {
    this.#index.follow(this.#database.flushes);
    this.#table.put(rowKey(key, number), before ?? NO_ROW);
    this.#index.add(key, Number(number));
  }

  /** Forgets what block `number` overwrote; blocks are taken back from the newest. */
  remove(number: bigint, key: Uint8Array): void {
    this.#index.follow(this.#database.flushes);
    this.#table.put(rowKey(key, number), null);
    this.#index.remove(key, Number(number));
  }

  /** The row as after block `number`: null for none, undefined when it has not changed since. A view. */
  rowAfter(key: Uint8Array, number: bigint): Uint8Array | null | undefined {
    const block = this.#index.firstAfter(key, Number(number));
    // A block in memory may come before one in the engine: where blocks were taken back, their numbers are given again.
    const end = rowKey(key, block === undefined ? LAST : BigInt(block));
    for (const [stored] of this.#table.stored(rowKey(key, number + 1n), end)) {
      // A block that was taken back may still be in the engine.
      const row = this.#table.view(stored.slice());
      if (row) return row.length === 0 ? null : row;
    }
    if (block === undefined) return undefined;
    const row = this.#table.view(end) as Uint8Array;
    return row.length === 0 ? null : row;
  }

  /** The rows that changed after block `number`, as they were after it; in order of keys from `from` on. */
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
   * The same of all accounts, or of the slots of one, part by part; each part is read at once, blocks may come in between.
   * @param owner - hash of the address of that one
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
        if (looked++ === ROWS_A_STEP) break;
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

/** The first key after all that begin so. */
const after = (prefix: Uint8Array) => keyAfter(prefix) as Uint8Array;

function rowKey(key: Uint8Array, number: bigint | Uint8Array): Uint8Array {
  return concat(
    key.length === ACCOUNT_KEY ? ACCOUNT : SLOT,
    key,
    typeof number === "bigint" ? numberKey(number) : number,
  );
}
