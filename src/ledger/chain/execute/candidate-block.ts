import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { BlobSidecar } from "../../../protocol/transaction/transaction.ts";
import type { BlockTotals } from "../../execution/block/block.ts";
import type { BuiltBlock } from "../../execution/block/build.ts";
import type { StagedState, StateChanges } from "../../state/state.ts";
import type { ExecutedBlock } from "../chain.ts";

/**
 * A block that has been executed on its parent, with the outcome. It holds no lock and leaves the chain untouched: any number
 * of candidates, on the same parent or on different ones, may coexist until one is passed to `Blockchain.insert`, or a branch
 * of them to `Blockchain.insertBranch`; the rest are simply dropped.
 */
export interface CandidateBlock {
  /** Complete, or complete except for its seals. */
  readonly block: Block;
  readonly totals: BlockTotals;
  /** Its changes to the parent's state. */
  readonly changes: StateChanges;
  /**
   * The same changes, hashed; tied to the store. Valid while the parent's state is the newest; recomputed otherwise. Undefined
   * for a block of a branch.
   */
  readonly staged: StagedState | undefined;
  /** Blob sidecars by transaction index; only for blocks that this node builds. */
  readonly sidecars?: ReadonlyMap<number, BlobSidecar>;
  /** `Blockchain.generation` when it was begun; candidates of earlier generations are refused. Absent = not checked. */
  readonly generation?: number;
  /** Whether its senders are recovered only after publication; roots and seals have been verified without them. */
  readonly isUnattributed?: boolean;
}

/** A candidate built by this node: complete except for its seals. */
export interface DraftBlock extends CandidateBlock {
  readonly rejected: BuiltBlock["rejected"];
  readonly failed: BuiltBlock["failed"];
}

/** The part of a candidate that the chain keeps. */
export function executedBlock({
  block,
  totals: { receipts, remarks },
  sidecars,
}: CandidateBlock): ExecutedBlock {
  return { block, hash: blockHash(block.header), receipts, remarks, ...(sidecars && { sidecars }) };
}
