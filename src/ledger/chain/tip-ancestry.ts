import type { Hash } from "../../protocol/primitives/bytes.ts";
import type { StateStore } from "../state/state.ts";
import type { BlockReference, TipAncestry } from "./chain-parts.ts";
import type { BlockTable } from "./tables/block-table.ts";

/** A chain up to its tip. */
interface TipChain {
  readonly store: StateStore;
  readonly table: BlockTable;
  /** The newest committed block. */
  readonly tip: () => BlockReference;
  readonly hashOf: (number: bigint) => Hash | undefined;
}

/** The ancestors of the next block: headers, hashes and states up to the tip. */
export function tipAncestry({ store, table, tip, hashOf }: TipChain): TipAncestry {
  const newest = () => tip().header.number;
  return {
    header: (number) => (number <= newest() ? table.header(number) : undefined),
    hash: (number) => (number <= newest() ? hashOf(number) : undefined),
    stateAt: (number) => (number === newest() ? store.latest() : store.at(number)),
  };
}
