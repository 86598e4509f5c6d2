import { EvmTimeout } from "../../ledger/evm/evm.ts";
import { TracerError } from "../../ledger/evm/tracers/errors.ts";
import { CallError, TransactionRejection } from "../../ledger/execution/errors.ts";
import type { Failure } from "./script-channel.ts";

/** An error as it goes to another thread. */
export function failureOf(error: unknown): Failure {
  if (error instanceof EvmTimeout) return { kind: "timeout" };
  if (error instanceof TracerError)
    return { kind: error.code === "NO_RESULT" ? "noResult" : "script", message: error.message };
  const cause = error instanceof CallError ? error.cause : error;
  if (cause instanceof TransactionRejection)
    return { kind: "rejected", code: cause.code, message: cause.message, isCall: cause !== error };
  return { kind: "other", message: error instanceof Error ? error.message : String(error) };
}

/** The error that came from another thread. */
export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "timeout":
      return new EvmTimeout("EVM_TIMEOUT", "execution timed out");
    case "script":
      return new TracerError("SCRIPT", failure.message);
    case "noResult":
      return new TracerError("NO_RESULT", failure.message);
    case "rejected": {
      const cause = new TransactionRejection(failure.code, failure.message);
      return failure.isCall ? new CallError("CALL_REJECTED", failure.message, {}, { cause }) : cause;
    }
    default:
      return new Error(failure.message);
  }
}
