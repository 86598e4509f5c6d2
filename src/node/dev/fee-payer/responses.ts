import type { Json } from "../../../protocol/codec/json/value.ts";

/** A response of the fee payer service: HTTP status and JSON. */
export interface FeePayerResponse {
  readonly status: 200 | 400 | 404 | 500;
  readonly body: { readonly [member: string]: Json };
}

/** A successful request. */
export function success(data: Json): FeePayerResponse {
  return { status: 200, body: { message: "Request was successful", data, status: true } };
}

/** A transaction that was included and failed: the fee has been paid, so the request counts as served. */
export function reverted(receipt: Json): FeePayerResponse {
  const body = { message: "Transaction reverted", data: receipt, error: "REVERTED", status: false };
  return { status: 200, body };
}

/** A request that the caller must correct. @param data - why, for people */
export function badRequest(data: string): FeePayerResponse {
  return { status: 400, body: { message: "Bad request", data, error: "BAD_REQUEST", status: false } };
}

/** A request that may succeed when retried. */
export function internalError(data: string): FeePayerResponse {
  return {
    status: 500,
    body: { message: "Internal server error", data, error: "INTERNAL_ERROR", status: false },
  };
}

/** Texts of the managed service, which clients compare. */
export const Reason = {
  apiKey: "Invalid API key",
  missing:
    "userSignedTx is required, [format] -- { userSignedTx: { raw: user signed rlp encoded transaction } }",
  notWhitelisted: "Contract or sender address are not whitelisted",
  inactive: "DApp is inactive. Please contact the administrator to activate the DApp.",
  terminated: "DApp is terminated. Please contact the administrator to activate the DApp.",
  balance: "Insufficient balance in fee delegation server, please contact the administrator.",
  noReceipt: "Transaction was failed",
  busy: "Too many transactions wait for their block",
} as const;
