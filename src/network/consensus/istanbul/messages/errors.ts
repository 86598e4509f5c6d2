import { NodeError } from "../../../../protocol/primitives/errors.ts";

/** An invalid consensus message. */
export class MessageError extends NodeError<
  /** Malformed; no honest node sends or relays it. */
  | "MESSAGE_FORMAT"
  /** Not signed by its claimed sender. */
  | "MESSAGE_SIGNATURE"
  /** The sender is not a current validator. */
  | "MESSAGE_SENDER"
> {
  override name = "MessageError";
}
