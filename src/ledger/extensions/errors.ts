import { NodeError } from "../../protocol/primitives/errors.ts";

/** A header or a request that an extension refuses; the message is the reference node's text. */
export class ExtensionError extends NodeError<
  | "GOVERNANCE_DATA"
  | "GOVERNANCE_VOTE"
  | "VALIDATORS"
  | "STAKING"
  | "RANDAO"
  /** A block below the one asked for is not in the chain, or its state is no longer kept. */
  | "HISTORY_MISSING"
  /** A block brings a contract whose code this program does not have. */
  | "CODE_UNKNOWN"
  /** A contract returned malformed output. */
  | "CONTRACT_OUTPUT"
  /** The minted or burnt supply is unknown. */
  | "CONTRACT_OUTPUT"
  | "SUPPLY_UNKNOWN"
> {
  override name = "ExtensionError";
}
