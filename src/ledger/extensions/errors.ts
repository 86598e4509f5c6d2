import { NodeError } from "../../protocol/primitives/errors.ts";

/** A header or request refused by an extension; the message is the reference node's text. */
export class ExtensionError extends NodeError<
  | "GOVERNANCE_DATA"
  | "GOVERNANCE_VOTE"
  | "VALIDATORS"
  | "STAKING"
  | "RANDAO"
  /** A required earlier block is not in the chain, or its state is no longer kept. */
  | "HISTORY_MISSING"
  /** A block installs a contract whose code this program does not have. */
  | "CODE_UNKNOWN"
  /** A contract returned malformed output. */
  | "CONTRACT_OUTPUT"
  /** The minted or burnt supply is unknown. */
  | "SUPPLY_UNKNOWN"
> {
  override name = "ExtensionError";
}
