import { CallError } from "../../../ledger/execution/errors.ts";
import { InvalidParamsError } from "../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** Numbers of the JSON-RPC 2.0 specification, -32001 and -32005 of EIP-1474, and 3 for reverted calls (geth). */
export const ErrorCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  server: -32000,
  notThere: -32001,
  limitExceeded: -32005,
  reverted: 3,
} as const;

/** Codes of transient errors. */
const BUSY: ReadonlySet<string> = new Set(["KDF_BUSY"]);

/** The `error` member of a response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** An error with its own JSON-RPC number; what a provider rejects with and a handler may throw. */
export class RpcError extends NodeError<"RPC_ERROR"> {
  override name = "RpcError";
  readonly rpcCode: number;
  readonly data: Json | undefined;

  constructor(rpcCode: number, message: string, data?: Json) {
    super("RPC_ERROR", message);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

/** -32601 with the reference's text, and a suggestion of what may have been meant. */
export function methodNotFound(name: string, hint?: string): RpcError {
  const text = `the method ${name} does not exist/is not available`;
  return new RpcError(ErrorCode.methodNotFound, text, hint === undefined ? undefined : { hint });
}

/** -32600 with one of the reference's texts: `invalid request`, `empty batch`. */
export function invalidRequest(message = "invalid request"): RpcError {
  return new RpcError(ErrorCode.invalidRequest, message);
}

/** -32005: too much is requested at once. */
export function limitExceeded(message: string): RpcError {
  return new RpcError(ErrorCode.limitExceeded, message);
}

/** -32001: the node does not have the block yet that a caller requires for its reads. */
export function notThereYet(number: bigint, head: bigint): RpcError {
  const text = `not there yet: block ${number} was asked for, the newest is ${head}`;
  return new RpcError(ErrorCode.notThere, text, { head: `0x${head.toString(16)}` });
}

/** -32005 for calls that are running or waiting when the node stops. */
export function stopping(): RpcError {
  return limitExceeded("the node is stopping");
}

/** A refusal by a handler, -32000 with this text. */
export function refused(message: string): RpcError {
  return new RpcError(ErrorCode.server, message);
}

/**
 * The only place that maps errors to JSON-RPC codes. Deliberate errors keep their text; anything else is a defect and is
 * answered with -32603 and no text.
 */
export function toErrorObject(error: unknown): ErrorObject {
  if (error instanceof RpcError) {
    const { rpcCode: code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  if (error instanceof InvalidParamsError)
    return { code: ErrorCode.invalidParams, message: error.message, ...hintOf(error) };
  if (error instanceof CallError && error.code === "REVERTED")
    return { code: ErrorCode.reverted, message: error.message, data: (error.details as { data: Json }).data };
  if (isBusy(error)) return { code: ErrorCode.limitExceeded, message: error.message };
  if (error instanceof NodeError) return { code: ErrorCode.server, message: error.message, ...hintOf(error) };
  return { code: ErrorCode.internal, message: "internal error" };
}

/** A hint for the caller, if the code that threw the error has one. */
function hintOf({ details: { hint } }: NodeError): Pick<ErrorObject, "data"> {
  return typeof hint === "string" ? { data: { hint } } : {};
}

/** Whether an error was thrown deliberately; anything else belongs in the log with its stack. */
export function isExpected(error: unknown): boolean {
  return error instanceof NodeError;
}

/** Whether an error only says that the node is busy, and nothing about the request. */
export function isBusy(error: unknown): error is NodeError {
  return error instanceof NodeError && BUSY.has(error.code);
}
