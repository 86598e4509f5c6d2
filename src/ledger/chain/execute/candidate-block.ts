import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import type { BlockTotals } from "../../execution/block.ts";
import type { BuiltBlock } from "../../execution/build.ts";
import type { BundleFailure } from "../../execution/bundle.ts";
import type { StagedState, StateChanges } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";

/**
 * A block that was run on its parent, and what it did. It holds nothing of the chain: any number of candidates may wait side by
 * side, on the same parent or on others, until `Blockchain.insert` takes one; the rest are just dropped.
 */
export interface CandidateBlock {
  /** Complete, or complete but for its seals. */
  readonly block: Block;
  readonly totals: BlockTotals;
  /** What it changes in its parent's state. */
  readonly changes: StateChanges;
  /** The same, hashed: good for as long as the parent's state is the newest, and made anew otherwise. */
  readonly staged: StagedState;
  /** By the index of their transactions, of a block that this node makes. */
  readonly sidecars?: ReadonlyMap<number, BlobSidecar>;
}

/** A candidate that this node built: complete but for its seals. */
export interface DraftBlock extends CandidateBlock {
  readonly rejected: BuiltBlock["rejected"];
  /** Bundles that were left out because a part of them failed. */
  readonly failed: readonly BundleFailure[];
}

/** What the chain keeps of a candidate. */
export function executedBlock({ block, totals: { receipts }, sidecars }: CandidateBlock): ExecutedBlock {
  return { block, hash: blockHash(block.header), receipts, ...(sidecars && { sidecars }) };
}
