import { NodeError } from "../../../protocol/primitives/errors.ts";

/** A trace cannot be made: there is no such tracer, its answer would be too long, or the caller's script has an error or no result. */
export class TracerError extends NodeError<"UNKNOWN_TRACER" | "TRACE_TOO_LARGE" | "SCRIPT" | "NO_RESULT"> {
  override name = "TracerError";
}
