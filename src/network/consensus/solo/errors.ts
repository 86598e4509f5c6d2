import { NodeError } from "../../../protocol/primitives/errors.ts";

/** Why requested blocks were not sealed. */
export class SealingError extends NodeError<"STOPPED"> {
  override name = "SealingError";
}
