import { ByteTable } from "../../../database/table/byte-table.ts";
import type { StateTables } from "../tables.ts";

/** Rows of a table at some point in time. */
export interface Rows {
  /** Value of a key, undefined if there is none; valid until the table is next read or changed. */
  view(key: Uint8Array): Uint8Array | undefined;
}

/** The rows a trie is read from. */
export type TrieRows = { readonly flat: Rows; readonly nodes: Rows };

/**
 * Copy-on-write snapshot of the newest state's rows, for work that spans many event-loop turns: a row is preserved
 * before it changes.
 */
export class RowSnapshot implements TrieRows {
  readonly flat: Rows;
  readonly nodes: Rows;
  readonly #preserved = { flat: new ByteTable(), nodes: new ByteTable() };
  readonly #tables: Pick<StateTables, "flat" | "nodes">;

  constructor(tables: Pick<StateTables, "flat" | "nodes">) {
    this.#tables = tables;
    this.flat = { view: (key) => this.#view("flat", key) };
    this.nodes = { view: (key) => this.#view("nodes", key) };
  }

  /** Preserves a row that is about to change. */
  preserve(table: "flat" | "nodes", key: Uint8Array): void {
    const preserved = this.#preserved[table];
    if (preserved.get(key) === undefined) preserved.set(key, this.#tables[table].view(key) ?? null);
  }

  #view(table: "flat" | "nodes", key: Uint8Array): Uint8Array | undefined {
    const preserved = this.#preserved[table].get(key);
    return preserved === undefined ? this.#tables[table].view(key) : (preserved ?? undefined);
  }
}
