import { NodeError } from "../../protocol/primitives/errors.ts";

/** Why a transaction cannot stand in a block at all: it gets no receipt and leaves no trace. */
export type RejectionCode =
  /** A rule of its type on the state: recipient, key, contract, code format. */
  | "TYPE_RULE"
  | "INVALID_SENDER"
  | "INVALID_FEE_PAYER"
  | "NONCE_TOO_LOW"
  | "NONCE_TOO_HIGH"
  | "NONCE_MAX"
  | "FEE_CAP"
  | "INVALID_BLOB"
  | "INVALID_AUTHORIZATION"
  /** Sender or fee payer cannot pay for the gas. */
  | "INSUFFICIENT_FUNDS"
  /** The sender cannot pay the value. */
  | "INSUFFICIENT_VALUE"
  | "INTRINSIC_GAS"
  | "FLOOR_GAS"
  | "GAS_OVERFLOW"
  | "INIT_CODE_TOO_LARGE";

/** A transaction that cannot be executed on this state; the message is the reference node's. */
export class TransactionRejection extends NodeError<RejectionCode> {
  override name = "TransactionRejection";
}

/** A block whose execution does not give what its header says; the message is the reference node's. */
export class ExecutionError extends NodeError<"BLOCK_TRANSACTION"> {
  override name = "ExecutionError";
}
