import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * A failure of the event stream: `OPTION` of a setting, `BROKER` of what the stream is sent to, `PAUSED` of a block that
 * cannot be published however often it is tried, `STATE` of a command that does not fit what the stream is doing.
 */
export class StreamError extends NodeError<"OPTION" | "BROKER" | "PAUSED" | "STATE"> {
  override name = "StreamError";
}
