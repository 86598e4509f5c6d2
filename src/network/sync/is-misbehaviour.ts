import { ChainError } from "../../ledger/chain/errors.ts";
import { ExecutionError } from "../../ledger/execution/errors.ts";
import { RlpError } from "../../protocol/codec/rlp/item.ts";
import { ConsensusError } from "../consensus/errors.ts";
import { PeerError } from "../p2p/errors.ts";

/**
 * Whether an error is the peer's misbehaviour. Data that is late, early or stale is nobody's fault, and failures of this node are not the
 * peer's.
 */
export function isMisbehaviour(error: unknown): boolean {
  if (error instanceof PeerError) return !(error.details as { readonly isInnocent?: boolean }).isInnocent;
  if (error instanceof ChainError) return error.code === "BAD_BLOCK";
  if (error instanceof ConsensusError) return !["FUTURE_BLOCK", "UNKNOWN_ANCESTOR"].includes(error.code);
  return error instanceof ExecutionError || error instanceof RlpError;
}

/**
 * Whether a block that failed has a valid header and enough committed seals. Only execution reveals its fault, and the Go node relays a
 * block before it executes it.
 */
export function isDecidedBlock(error: unknown): boolean {
  return error instanceof ChainError && error.details["isDecided"] === true;
}
