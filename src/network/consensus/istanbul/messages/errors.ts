import { NodeError } from "../../../../protocol/primitives/errors.ts";

/** Bytes that are no message of a validator. */
export class MessageError extends NodeError<
  /** Not of the form that messages have; no honest node sends or relays it. */
  | "MESSAGE_FORMAT"
  /** Signed by another than it says. */
  | "MESSAGE_SIGNATURE"
  /** Of somebody who does not take part now. */
  | "MESSAGE_SENDER"
> {
  override name = "MessageError";
}
