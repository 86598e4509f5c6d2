import { ByteTable } from "../database/table/byte-table.ts";
import { mergeLayers } from "../database/table/merge.ts";
import type { Row, StateStore } from "./state.ts";

/** Rows laid over those of a store, which stays as it is. */
export class RowOverlay implements Pick<StateStore, "get" | "range" | "write"> {
  readonly #base: Pick<StateStore, "get" | "range">;
  readonly #tables = new Map<string, ByteTable>();

  constructor(base: Pick<StateStore, "get" | "range">) {
    this.#base = base;
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const changed = this.#tables.get(table)?.get(key);
    return changed === undefined ? this.#base.get(table, key) : changed?.slice();
  }

  *range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
    reverse = false,
  ): Generator<[Uint8Array, Uint8Array]> {
    const changed = this.#tables.get(table)?.range(from, to, reverse) ?? [];
    const layers = [changed, this.#base.range(table, from, to, reverse)];
    for (const [key, value] of mergeLayers(layers, reverse)) yield [key, value];
  }

  /** Changes rows here. */
  async write(rows: readonly Row[]): Promise<void> {
    this.put(rows);
  }

  /** As `write`, at once. */
  put(rows: Iterable<Row>): void {
    for (const { table, key, value } of rows) {
      const changed = this.#tables.get(table) ?? new ByteTable();
      this.#tables.set(table, changed);
      changed.set(key, value);
    }
  }
}
