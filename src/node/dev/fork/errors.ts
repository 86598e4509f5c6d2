import { NodeError } from "../../../protocol/primitives/errors.ts";

/**
 * A chain cannot be forked from a block of another.
 * - `REMOTE_FAILED`: the remote node does not respond, or responds incorrectly
 * - `FORK_BLOCK`: it has no such block
 * - `FORK_MISMATCH`: the data folder holds a chain that was forked from another block
 */
export class ForkError extends NodeError<"REMOTE_FAILED" | "FORK_BLOCK" | "FORK_MISMATCH"> {
  override name = "ForkError";
}
