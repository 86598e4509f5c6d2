import { NodeError } from "../../protocol/primitives/errors.ts";

/** A header that breaks the engine's rules, or a block that this node may not seal; the reference node's text. */
export class ConsensusError extends NodeError<
  /** Its timestamp is in the future; it may be valid later. */
  | "FUTURE_BLOCK"
  | "UNKNOWN_ANCESTOR"
  | "HEADER_FORMAT"
  | "HEADER_FEE"
  | "HEADER_TIME"
  | "HEADER_RANDAO"
  | "HEADER_BLOB"
  | "UNAUTHORIZED"
  | "COMMITTED_SEALS"
> {
  override name = "ConsensusError";
}
