import { NodeError } from "../../protocol/primitives/errors.ts";

/** A header breaks the engine's rules, or this node may not seal a block; the text is the reference node's. */
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
