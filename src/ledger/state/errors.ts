import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * An error of the state.
 * - `STATE_DAMAGED`: a record is missing or does not hash to what its parent says
 * - `STATE_PRUNED`: the history that far back is not kept
 * - `STATE_STALE`: the staged state was committed or overtaken
 * - `STATE_ORDER`: not the next block
 */
export class StateError extends NodeError<"STATE_DAMAGED" | "STATE_PRUNED" | "STATE_STALE" | "STATE_ORDER"> {
  override name = "StateError";
}
