import { NodeError } from "../../protocol/primitives/errors.ts";

/** What can go wrong with a chain: its data, a block that does not belong to it, or its own history. */
export type ChainErrorCode =
  /** The data folder holds the chain of another genesis. */
  | "GENESIS_MISMATCH"
  /** A fork was moved to or from a block that is already there. */
  | "CONFIG_MISMATCH"
  /** A genesis file that is malformed, or that the reference node refuses. */
  | "GENESIS_INVALID"
  /** There is no genesis to open the chain with. */
  | "GENESIS_MISSING"
  | "BLOCK_STREAM"
  | "UNKNOWN_ANCESTOR"
  /** A candidate was run on a state that its parent no longer has: it was changed by hand. */
  | "STALE_CANDIDATE"
  /** More blocks beside the chain than wait in memory, and still not more than what they would replace. */
  | "BRANCH_TOO_LONG"
  /** A block differs from what its header says; `details.field` names where. */
  | "BAD_BLOCK"
  /** The state that an operation starts from is no longer kept. */
  | "STATE_PRUNED"
  /** Blocks and look-ups in the database do not agree. */
  | "CHAIN_DAMAGED"
  | "OUT_OF_RANGE"
  | "CLOSED";

export class ChainError extends NodeError<ChainErrorCode> {
  override name = "ChainError";
}
