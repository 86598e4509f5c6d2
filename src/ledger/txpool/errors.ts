import { NodeError } from "../../protocol/primitives/errors.ts";

/** Why the pool refused a transaction; the message is the reference node's text. */
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
  /** The sidecar does not match the versioned hashes, or its proofs are invalid: regardless of the head. */
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
