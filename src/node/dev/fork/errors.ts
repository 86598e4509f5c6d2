import { NodeError } from "../../../protocol/primitives/errors.ts";

/**
 * A chain cannot go on from a block of another.
 * - `REMOTE_FAILED`: the other node does not answer, or not what it should
 * - `FORK_BLOCK`: it has no such block
 * - `FORK_MISMATCH`: the data folder holds a chain that goes on from another block
 */
export class ForkError extends NodeError<"REMOTE_FAILED" | "FORK_BLOCK" | "FORK_MISMATCH"> {
  override name = "ForkError";
}
