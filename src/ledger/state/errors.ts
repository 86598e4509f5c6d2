import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * A failed operation on the state.
 * - `STATE_DAMAGED`: a record is missing, or does not hash to the reference in its parent
 * - `STATE_PRUNED`: history does not reach back that far
 * - `STATE_STALE`: the state has changed since the work began, so its result no longer applies
 * - `STATE_ORDER`: the block does not follow the head
 */
export class StateError extends NodeError<"STATE_DAMAGED" | "STATE_PRUNED" | "STATE_STALE" | "STATE_ORDER"> {
  override name = "StateError";
}
