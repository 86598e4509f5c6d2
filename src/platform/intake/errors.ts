import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * What comes from outside is not taken in.
 * - `TOO_LARGE`: it is longer than anything of its kind needs to be, packed or unpacked
 * - `TOO_DEEP`: its JSON is nested deeper
 * - `DAMAGED`: it is no whole archive, or no JSON
 * - `FORBIDDEN_TARGET`: an address that may not be called
 * - `NO_ANSWER`: who was called does not answer within bounds
 */
export class IntakeError extends NodeError<
  "TOO_LARGE" | "TOO_DEEP" | "DAMAGED" | "FORBIDDEN_TARGET" | "NO_ANSWER"
> {
  override name = "IntakeError";
}
