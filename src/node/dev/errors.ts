import { NodeError } from "../../protocol/primitives/errors.ts";

/** A request to a development chain that it cannot fulfil. */
export class DevError extends NodeError<
  | "FORK"
  | "STATE_FORMAT"
  | "STATE_SIZE"
  | "STATE_FILE"
  | "ACCOUNT_KEY"
  | "ALREADY_MINED"
  | "RESET_FAILED"
  | "SNAPSHOT_DROPPED"
  | "TOO_MANY"
  | "DAPP_FILE"
  | "FEE_PAYER"
> {
  override name = "DevError";
}
