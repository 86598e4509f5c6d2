import { ByteTable } from "../../../database/table/byte-table.ts";
import type { Table } from "../../../database/table/table.ts";
import { type FlatChange, nameOf } from "../flat/flat-changes.ts";
import { NO_ROW, rowKey } from "./archive-key.ts";

/** Entries gathered per step, a millisecond or two. */
const ENTRIES_PER_STEP = 512;

/** Rows before a change. */
type Overwritten = Pick<FlatChange, "key" | "before">;

/** Entries for the archive that are gathered step by step, while the archive itself stays as it is. */
export class StagedArchive {
  readonly rows = new ByteTable();
  /** Blocks of the entries by name of the row, ascending. */
  readonly blocks = new Map<string, number[]>();
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Adds the rows overwritten by block `number`; blocks are added in order. */
  *addAll(number: bigint, changes: Iterable<Overwritten>): Generator<void> {
    let count = 0;
    for (const change of changes) {
      this.#add(rowKey(change.key, number), number, change);
      if (++count % ENTRIES_PER_STEP === 0) yield;
    }
  }

  /** As `addAll`, except for rows that have an entry at that block, here or in the archive. */
  *addMissing(number: bigint, changes: Iterable<Overwritten>): Generator<void> {
    let count = 0;
    for (const change of changes) {
      const key = rowKey(change.key, number);
      if (this.rows.get(key) === undefined && this.#table.view(key) === undefined)
        this.#add(key, number, change);
      if (++count % ENTRIES_PER_STEP === 0) yield;
    }
  }

  #add(row: Uint8Array, number: bigint, { key, before }: Overwritten): void {
    this.rows.set(row, before ?? NO_ROW);
    const name = nameOf(key);
    const blocks = this.blocks.get(name);
    if (blocks) blocks.push(Number(number));
    else this.blocks.set(name, [Number(number)]);
  }
}
