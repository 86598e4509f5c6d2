import { compareBytes } from "../../../protocol/primitives/bytes.ts";
import { sortKeys } from "../../database/table/sort-keys.ts";
import { nibbleAt } from "./nibbles.ts";

type Value = Uint8Array | null | undefined;

/** Entries `from` to `to` - 1 of a batch. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Changes of leaves in key order. A value is null to delete, undefined for a leaf that stays as it is. */
export class Batch {
  readonly #keys: readonly Uint8Array[];
  readonly #values: readonly Value[];

  constructor(keys: readonly Uint8Array[], values: readonly Value[]) {
    this.#keys = keys;
    this.#values = values;
  }

  /** Sorts changes in any order; keys are distinct. */
  static sorted(keys: readonly Uint8Array[], values: readonly (Uint8Array | null)[]): Batch {
    const order = sortKeys(keys.length, (i) => keys[i] as Uint8Array);
    const sortedKeys: Uint8Array[] = [];
    const sortedValues: (Uint8Array | null)[] = [];
    for (let i = 0; i < order.length; i++) {
      sortedKeys.push(keys[order[i] as number] as Uint8Array);
      sortedValues.push(values[order[i] as number] as Uint8Array | null);
    }
    return new Batch(sortedKeys, sortedValues);
  }

  get length(): number {
    return this.#keys.length;
  }

  key(index: number): Uint8Array {
    return this.#keys[index] as Uint8Array;
  }

  value(index: number): Value {
    return this.#values[index];
  }

  /** End of the run of entries that share the nibble at `depth` with entry `start`. */
  endOfChild(start: number, to: number, depth: number): number {
    const child = nibbleAt(this.key(start), depth);
    let end = start + 1;
    while (end < to && nibbleAt(this.key(end), depth) === child) end++;
    return end;
  }

  /** The entries of a range without deletions, and the existing leaf unless one of them replaces or deletes it. */
  live({ from, to }: Range, leaf: Uint8Array | undefined): Batch {
    const keys: Uint8Array[] = [];
    const values: Value[] = [];
    let waiting = leaf?.slice();
    for (let i = from; i < to; i++) {
      const order = waiting ? compareBytes(waiting, this.key(i)) : 1;
      if (waiting && order < 0) {
        keys.push(waiting);
        values.push(undefined);
      }
      if (order <= 0) waiting = undefined;
      if (this.value(i) === null) continue;
      keys.push(this.key(i));
      values.push(this.value(i));
    }
    if (waiting) {
      keys.push(waiting);
      values.push(undefined);
    }
    return new Batch(keys, values);
  }
}
