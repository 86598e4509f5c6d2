import { ChainError } from "../../ledger/chain/errors.ts";
import { ExecutionError } from "../../ledger/execution/errors.ts";
import { RlpError } from "../../protocol/codec/rlp/item.ts";
import { ConsensusError } from "../consensus/errors.ts";
import { PeerError } from "../p2p/errors.ts";

/**
 * Whether what a peer sent breaks the rules. Data that is late, early or overtaken by other blocks is nobody's fault, and
 * failures of this node are not the peer's.
 */
export function isLie(error: unknown): boolean {
  if (error instanceof PeerError) return !(error.details as { readonly isInnocent?: boolean }).isInnocent;
  if (error instanceof ChainError) return error.code === "BAD_BLOCK";
  if (error instanceof ConsensusError) return !["FUTURE_BLOCK", "UNKNOWN_ANCESTOR"].includes(error.code);
  return error instanceof ExecutionError || error instanceof RlpError;
}

/**
 * Whether a block that failed was sealed by validators, with a header that follows all rules. Only executing it shows the fault, and the Go
 * node relays it before it does so.
 */
export function isOfValidators(error: unknown): boolean {
  return error instanceof ChainError && error.details["isDecided"] === true;
}
