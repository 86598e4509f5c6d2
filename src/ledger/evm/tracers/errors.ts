import { NodeError } from "../../../protocol/primitives/errors.ts";

/** A trace cannot be made: there is no such tracer, its answer would be too long, or the caller's script has an error or no result. */
export class TracerError extends NodeError<"UNKNOWN_TRACER" | "TRACE_TOO_LARGE" | "SCRIPT" | "NO_RESULT"> {
  override name = "TracerError";
}

/**
 * Ends a trace without a result, as a script whose result is undefined: the reference cannot write that as JSON.
 * @param text - what it has in place of JSON
 * @throws TracerError `NO_RESULT` in the words of the reference
 */
export function withoutResult(text = "undefined"): never {
  const message = `json: error calling MarshalJSON for type json.RawMessage: invalid character '${text[0]}' looking for beginning of value`;
  throw new TracerError("NO_RESULT", message);
}
