import type { TracerFactory } from "../../../../ledger/evm/tracers/tracer.ts";
import { CallError, TransactionRejection } from "../../../../ledger/execution/errors.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { refused } from "../../errors.ts";
import type { BlockRef } from "../../spec/block-ref.ts";
import type { CallArgs } from "../../spec/transaction-args.ts";
import type { CallRunner } from "../call-runner.ts";

/**
 * What a tracer shows of a call on the state after a block.
 * @throws RpcError -32000, EvmTimeout
 */
export function traceCall(runner: CallRunner, args: CallArgs, at: BlockRef, factory: TracerFactory): Json {
  try {
    return runner.trace(args, at, factory);
  } catch (error) {
    throw callRefusal(error);
  }
}

/** The error to answer for what stopped a call under a tracer. */
export function callRefusal(error: unknown): unknown {
  if (!(error instanceof CallError) || !(error.cause instanceof TransactionRejection)) return error;
  return refused(`tracing failed: ${plainText(error.cause)}`);
}

/** The reference names no numbers here. */
function plainText({ code, message }: TransactionRejection): string {
  return code === "INTRINSIC_GAS" ? "intrinsic gas too low" : message;
}
