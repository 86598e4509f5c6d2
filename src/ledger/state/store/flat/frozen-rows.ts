import { ByteTable } from "../../../database/table/byte-table.ts";
import type { StateTables } from "../tables.ts";

/** Rows of a table as they are now, or were. */
export interface Rows {
  /** Value of a key, undefined when there is none; valid until the table is next read or changed. */
  view(key: Uint8Array): Uint8Array | undefined;
}

/** The rows that a trie is read from. */
export type TrieRows = { readonly flat: Rows; readonly nodes: Rows };

/**
 * The newest state's rows as they were when this was made, for work that takes many turns: a change of a row first keeps
 * what was there.
 */
export class FrozenRows implements TrieRows {
  readonly flat: Rows;
  readonly nodes: Rows;
  readonly #kept = { flat: new ByteTable(), nodes: new ByteTable() };
  readonly #tables: Pick<StateTables, "flat" | "nodes">;

  constructor(tables: Pick<StateTables, "flat" | "nodes">) {
    this.#tables = tables;
    this.flat = { view: (key) => this.#view("flat", key) };
    this.nodes = { view: (key) => this.#view("nodes", key) };
  }

  /** Keeps a row that is about to change. */
  keep(table: "flat" | "nodes", key: Uint8Array): void {
    const kept = this.#kept[table];
    if (kept.get(key) === undefined) kept.set(key, this.#tables[table].view(key) ?? null);
  }

  #view(table: "flat" | "nodes", key: Uint8Array): Uint8Array | undefined {
    const kept = this.#kept[table].get(key);
    return kept === undefined ? this.#tables[table].view(key) : (kept ?? undefined);
  }
}
