import { NodeError } from "../../../protocol/primitives/errors.ts";

/** A trace cannot be made: there is no such tracer, or its answer would be too long. */
export class TracerError extends NodeError<"UNKNOWN_TRACER" | "TRACE_TOO_LARGE"> {
  override name = "TracerError";
}
