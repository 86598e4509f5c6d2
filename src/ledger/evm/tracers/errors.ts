import { NodeError } from "../../../protocol/primitives/errors.ts";

/** Tracing failed: the tracer is unknown, its result too large, or the caller's script has an error or no result. */
export class TracerError extends NodeError<"UNKNOWN_TRACER" | "TRACE_TOO_LARGE" | "SCRIPT" | "NO_RESULT"> {
  override name = "TracerError";
}

/**
 * Fails a trace that has no result, such as a script whose result is undefined, which the reference node cannot encode as JSON.
 * @param text - what it has instead of JSON
 * @throws TracerError `NO_RESULT` with the text of the reference node
 */
export function throwNoResult(text = "undefined"): never {
  const message = `json: error calling MarshalJSON for type json.RawMessage: invalid character '${text[0]}' looking for beginning of value`;
  throw new TracerError("NO_RESULT", message);
}
