import { joinLists } from "../../../../platform/runtime/lists-by-key.ts";
import { nameOf } from "../flat/flat-changes.ts";

/**
 * Unflushed blocks that changed a row, by row: where in memory to look for history. Two generations, like the layers of a
 * table: the older one is dropped when the flush of its blocks has ended.
 */
export class HistoryIndex {
  #young = new Map<string, number[]>();
  #old = new Map<string, number[]>();
  #begun = 0;

  /** Catches up with the database's flushes; to be called before each change. */
  follow({ begun, ended }: { readonly begun: number; readonly ended: number }): void {
    if (ended >= this.#begun) this.#old = new Map();
    if (begun === this.#begun) return;
    this.#begun = begun;
    this.#old = ended >= begun ? new Map() : this.#young;
    this.#young = new Map();
  }

  /**
   * Adds blocks, ascending, by name of the row that they changed; the map is handed over. None may be older than those already
   * known of the same row. Takes time proportional to the smaller of the map and what is held.
   */
  adopt(rows: Map<string, number[]>): void {
    this.#young = joinLists(this.#young, rows);
  }

  /** Removes a block; later ones must have been removed before. */
  remove(key: Uint8Array, block: number): void {
    for (const generation of [this.#young, this.#old]) {
      const blocks = generation.get(nameOf(key));
      if (blocks?.at(-1) === block) blocks.pop();
    }
  }

  /** The first block after `block` that changed the row. */
  firstAfter(key: Uint8Array, block: number): number | undefined {
    const name = nameOf(key);
    return firstAbove(this.#old.get(name), block) ?? firstAbove(this.#young.get(name), block);
  }
}

function firstAbove(blocks: readonly number[] | undefined, block: number): number | undefined {
  if (!blocks) return undefined;
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle] as number) <= block) low = middle + 1;
    else high = middle;
  }
  return blocks[low];
}
