import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * Input from outside is refused.
 * - `TOO_LARGE`: longer than anything of its kind needs to be, packed or unpacked
 * - `TOO_DEEP`: its JSON is nested deeper
 * - `DAMAGED`: not a complete archive, or not JSON
 * - `FORBIDDEN_TARGET`: an address that may not be called
 * - `NO_ANSWER`: the callee does not answer within bounds
 */
export class IntakeError extends NodeError<
  "TOO_LARGE" | "TOO_DEEP" | "DAMAGED" | "FORBIDDEN_TARGET" | "NO_ANSWER"
> {
  override name = "IntakeError";
}
