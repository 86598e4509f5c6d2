import { NodeError } from "../../protocol/primitives/errors.ts";

/** Something that a developer asked of a development chain and that it cannot do. */
export class DevError extends NodeError<
  "NOT_SUPPORTED" | "NOT_A_VALIDATOR" | "STATE_FORMAT" | "ACCOUNT_KEY" | "ALREADY_MINED" | "RESET_FAILED"
> {
  override name = "DevError";
}
