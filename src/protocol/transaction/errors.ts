import { NodeError } from "../primitives/errors.ts";

/** Why a transaction is invalid, or cannot be signed, priced or attributed. */
export type TransactionErrorCode =
  | "TX_TYPE_UNKNOWN"
  | "TX_TYPE_NOT_SUPPORTED"
  | "TX_MALFORMED"
  | "TX_SIGNATURE"
  | "TX_CHAIN_ID"
  | "TX_SIGNATURE_COUNT"
  | "TX_NOT_FEE_DELEGATED"
  | "TX_KEY"
  | "TX_GAS_OVERFLOW";

/** An invalid transaction. Messages are those of the reference node, which peers and RPC users see. */
export class TransactionError extends NodeError<TransactionErrorCode> {
  override name = "TransactionError";
}
