import { compareBytes } from "../../../protocol/primitives/bytes.ts";
import type { KeyValueStore } from "../store.ts";
import type { UncheckedTree } from "./unchecked-tree.ts";

const FIRST = new Uint8Array(0);

/** The reads of a store. */
type Reads = Pick<KeyValueStore, "get" | "range" | "neighbour">;

/**
 * Reads for which the pages on the way to each row, and to where none is found, are checked, if possible before LMDB gets there.
 * @throws as `UncheckedTree`
 */
export function checkedReads(tree: UncheckedTree, reads: Reads): Reads {
  return {
    get(key) {
      tree.check(key);
      return reads.get(key);
    },
    *range(from, to, reverse = false) {
      tree.checkAround(reverse ? to : from);
      let at = reverse ? to : from;
      for (const row of reads.range(from, to, reverse)) {
        const [key] = row;
        tree.checkBetween(reverse ? key : at, reverse ? at : key);
        at = key;
        tree.checkAround(key);
        yield row;
      }
      tree.checkBetween(reverse ? from : at, reverse ? at : to);
    },
    neighbour(key, side) {
      tree.checkAround(key);
      const row = reads.neighbour(key, side);
      const other = row?.[0] ?? (side === "below" ? FIRST : undefined);
      if (other && compareBytes(other, key) < 0) tree.checkBetween(other, key);
      else tree.checkBetween(key, other);
      return row;
    },
  };
}
