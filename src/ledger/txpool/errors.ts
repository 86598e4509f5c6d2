import { NodeError } from "../../protocol/primitives/errors.ts";

/** Why a transaction was refused by the pool itself; the message is the reference node's text. */
export type TransactionPoolErrorCode =
  | "KNOWN_TRANSACTION"
  | "UNKNOWN_TRANSACTION"
  | "TYPE_NOT_SUPPORTED"
  | "INIT_CODE_TOO_LARGE"
  | "GAS_LIMIT_TOO_HIGH"
  | "INVALID_CHAIN_ID"
  | "INVALID_PRICE"
  | "OVERSIZED"
  | "NEGATIVE_VALUE"
  | "NONCE_MAX"
  | "NONCE_TOO_LOW"
  | "INSUFFICIENT_FUNDS"
  | "INTRINSIC_GAS"
  | "FLOOR_DATA_GAS"
  | "INVALID_BLOB"
  /** Not the sidecar that the hashes stand for, or its proofs do not hold: true at any head. */
  | "WRONG_SIDECAR"
  | "BLOB_UNVERIFIED"
  | "INVALID_AUTHORIZATION"
  | "DELEGATION_LIMIT"
  | "FEE_RATIO"
  | "NONCE_TAKEN"
  | "NOT_KEPT"
  | "POOL_FULL"
  | "UNDERPRICED"
  | "ANCHORING_NOT_ALLOWED"
  | "REMOTE_DENIED";

/** A transaction rejected by the pool. */
export class TransactionPoolError extends NodeError<TransactionPoolErrorCode> {
  override name = "TransactionPoolError";
}
