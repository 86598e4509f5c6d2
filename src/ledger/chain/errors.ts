import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** Errors of a chain: damaged data, a block that does not belong to it, or history that is missing. */
export type ChainErrorCode =
  /** The data folder holds the chain of another genesis. */
  | "GENESIS_MISMATCH"
  /** The configuration moves a hard fork that the chain has already passed. */
  | "CONFIG_MISMATCH"
  /** The genesis file is malformed, or the reference node would refuse it. */
  | "GENESIS_INVALID"
  /** No genesis was given for an empty database. */
  | "GENESIS_MISSING"
  /** A stream of blocks has one that is too large, or is a damaged archive. */
  | "BLOCK_STREAM"
  /** A stream of blocks has something else at the place of one. */
  | "NOT_A_BLOCK"
  /** A stream of blocks ends within one. */
  | "BLOCK_CUT_SHORT"
  | "UNKNOWN_ANCESTOR"
  /** A candidate was executed on a state of its parent that has since been changed, or on a chain that has been rewound. */
  | "STALE_CANDIDATE"
  /** A side branch exceeds its limits and is still not longer than the blocks it would replace. */
  | "BRANCH_TOO_LONG"
  /** A block contradicts its header; `details.field` names the field. */
  | "BAD_BLOCK"
  /** The state that an operation needs has been pruned. */
  | "STATE_PRUNED"
  /** Blocks and indexes in the database contradict each other. */
  | "CHAIN_DAMAGED"
  | "OUT_OF_RANGE"
  | "CLOSED";

/** A refused block, genesis or chain; the code names the violated rule. */
export class ChainError extends NodeError<ChainErrorCode> {
  override name = "ChainError";
}

/** Codes of a candidate that is stale because the tip or its state has changed. */
export const STALE_CANDIDATE_CODES: ReadonlySet<string> = new Set<ChainErrorCode>([
  "UNKNOWN_ANCESTOR",
  "STALE_CANDIDATE",
]);

/** The error for a branch under which the chain has changed. @param number - of the block that it begins after */
export function staleBranch(number: bigint): ChainError {
  const text = `the chain was rewound or edited under the branch after block ${number}`;
  return new ChainError("STALE_CANDIDATE", text, { number });
}

/** The error for a block whose parent is not the one it would have to follow. */
export function unknownAncestor({ header }: Block): ChainError {
  const details = { number: header.number, hash: bytesToHex(blockHash(header)), field: "parentHash" };
  return new ChainError("UNKNOWN_ANCESTOR", "unknown ancestor", details);
}
