import { NodeError } from "../../../protocol/primitives/errors.ts";

/** Why blocks that were asked for are not made. */
export class SealingError extends NodeError<"STOPPED"> {
  override name = "SealingError";
}
