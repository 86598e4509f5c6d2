import { concat } from "../../../protocol/primitives/bytes.ts";
import type { Database } from "../../database/database.ts";
import type { Table } from "../../database/table/table.ts";
import { ACCOUNT_KEY, keyAfter } from "./flat-changes.ts";
import { HistoryIndex } from "./history-index.ts";
import { keyNumber, numberKey } from "./tables.ts";

const ACCOUNT = Uint8Array.of(0);
const SLOT = Uint8Array.of(1);
const NO_ROW = new Uint8Array(0);
const LAST = new Uint8Array(8).fill(0xff);

/**
 * Flat rows as they were before each block that changed them, for all blocks. The state after block n has, for each row,
 * what the first later change overwrote, or what is there now.
 */
export class Archive {
  readonly #database: Database;
  readonly #table: Table;
  readonly #index = new HistoryIndex();

  constructor(database: Database, table: Table) {
    this.#database = database;
    this.#table = table;
  }

  /** Notes what block `number` overwrites. */
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
    const to = keyAfter(from.length === ACCOUNT_KEY ? kind : concat(kind, from.subarray(0, ACCOUNT_KEY)));
    let last: Uint8Array | undefined;
    for (const [key, row] of this.#table.range(concat(kind, from), to)) {
      const flatKey = key.subarray(1, -8);
      if (keyNumber(key) <= number || (last && Buffer.compare(last, flatKey) === 0)) continue;
      last = flatKey;
      yield [flatKey, row.length === 0 ? null : row];
    }
  }
}

function rowKey(key: Uint8Array, number: bigint | Uint8Array): Uint8Array {
  return concat(
    key.length === ACCOUNT_KEY ? ACCOUNT : SLOT,
    key,
    typeof number === "bigint" ? numberKey(number) : number,
  );
}
