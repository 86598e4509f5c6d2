import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * Input from outside is rejected.
 * - `TOO_LARGE`: larger than allowed, compressed or decompressed
 * - `TOO_DEEP`: its JSON is nested too deeply
 * - `DAMAGED`: not a complete archive, or not JSON
 * - `FORBIDDEN_TARGET`: an address that may not be called
 * - `NO_ANSWER`: the server does not respond within the limits
 */
export class IntakeError extends NodeError<
  "TOO_LARGE" | "TOO_DEEP" | "DAMAGED" | "FORBIDDEN_TARGET" | "NO_ANSWER"
> {
  override name = "IntakeError";
}
