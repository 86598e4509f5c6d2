import { NodeError } from "../../protocol/primitives/errors.ts";

/** Why a transaction is invalid in a block: it gets no receipt and changes nothing. */
export type RejectionCode =
  /** It violates a rule of its type: on recipient, key, contract, code format. */
  | "TYPE_RULE"
  | "INVALID_SENDER"
  | "INVALID_FEE_PAYER"
  | "NONCE_TOO_LOW"
  | "NONCE_TOO_HIGH"
  | "NONCE_MAX"
  | "FEE_CAP"
  | "INVALID_BLOB"
  | "INVALID_AUTHORIZATION"
  /** Sender or fee payer cannot pay the fee. */
  | "INSUFFICIENT_FUNDS"
  /** The sender cannot pay the value. */
  | "INSUFFICIENT_VALUE"
  | "INTRINSIC_GAS"
  | "FLOOR_GAS"
  | "GAS_OVERFLOW"
  | "INIT_CODE_TOO_LARGE";

/** The transaction field to which a rejection refers. */
export const REJECTED_FIELD: Readonly<Record<RejectionCode, string>> = {
  TYPE_RULE: "type",
  INVALID_SENDER: "signatures",
  INVALID_FEE_PAYER: "feePayerSignatures",
  NONCE_TOO_LOW: "nonce",
  NONCE_TOO_HIGH: "nonce",
  NONCE_MAX: "nonce",
  FEE_CAP: "gasPrice",
  INVALID_BLOB: "blobVersionedHashes",
  INVALID_AUTHORIZATION: "authorizationList",
  INSUFFICIENT_FUNDS: "gasPrice",
  INSUFFICIENT_VALUE: "value",
  INTRINSIC_GAS: "gas",
  FLOOR_GAS: "gas",
  GAS_OVERFLOW: "gas",
  INIT_CODE_TOO_LARGE: "input",
};

/** A transaction that cannot be executed on this state; the message is the reference node's. */
export class TransactionRejection extends NodeError<RejectionCode> {
  override name = "TransactionRejection";
}

/** A block whose execution does not match its header; the message is the reference node's. */
export class ExecutionError extends NodeError<"BLOCK_TRANSACTION"> {
  override name = "ExecutionError";
}

/** Why a call or an estimate has no result. */
export type CallErrorCode =
  /** The gas limit exceeds that of calls. */
  | "CALL_GAS"
  /** It could not be executed; the cause is the `TransactionRejection`. */
  | "CALL_REJECTED"
  | "CALL_OVERRIDE"
  /** The simulated block has not enough gas left. */
  | "BLOCK_GAS"
  /** The output and logs of a simulation are too large for one response. */
  | "SIMULATION_SIZE"
  /** It was executed and failed. */
  | "CALL_FAILED"
  /** Reverted by the contract without output. */
  | "REVERTED_BARE"
  /** Reverted by the contract; `details.data` is the output as hex. JSON-RPC number 3. */
  | "REVERTED"
  | "ESTIMATE_FUNDS"
  | "ESTIMATE_ALLOWANCE";

/** A call or estimate without a result; the message is the reference node's. */
export class CallError extends NodeError<CallErrorCode> {
  override name = "CallError";
}
