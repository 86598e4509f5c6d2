import { STATUS_REVERTED } from "../../../protocol/block/status.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { revertReason } from "../../evm/revert-reason.ts";
import { CallError } from "../errors.ts";
import type { CallResult } from "./call.ts";

/** Whether the contract reverted the call, with return data. */
export function isReverted({ status, output }: CallResult): boolean {
  return status === STATUS_REVERTED && output.length > 0;
}

/**
 * The error of a failed call: `REVERTED` with the return data in `details.data`, `REVERTED_BARE` for a revert without data,
 * or `CALL_FAILED` with the failure's text.
 */
export function failureOf(result: CallResult): CallError {
  if (!isReverted(result))
    return new CallError(
      result.status === STATUS_REVERTED ? "REVERTED_BARE" : "CALL_FAILED",
      result.error ?? "",
    );
  const reason = revertReason(result.output);
  const text = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
  return new CallError("REVERTED", text, { data: bytesToHex(result.output) });
}
