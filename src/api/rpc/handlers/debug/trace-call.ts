import type { TracerFactory } from "../../../../ledger/evm/tracers/tracer.ts";
import { CallError, TransactionRejection } from "../../../../ledger/execution/errors.ts";
import { contractAddress } from "../../../../protocol/account/address.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { EMPTY_BYTES, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { refused } from "../../errors.ts";
import type { BlockRef } from "../../spec/block-ref.ts";
import type { CallArgs } from "../../spec/transaction-args.ts";
import type { CallRunner } from "../call-runner.ts";

/**
 * What a tracer shows of a call on the state after a block.
 * @throws RpcError -32000, EvmTimeout
 */
export function traceCall(
  { runner }: { readonly runner: CallRunner },
  args: CallArgs,
  at: BlockRef,
  factory: TracerFactory,
): Json {
  try {
    return runner.trace(args, at, ({ gas, gasPrice }, state) => {
      const from = args.from ?? ZERO_ADDRESS;
      const to = args.to ?? contractAddress(from, state.nonce(from));
      const input = args.input ?? args.data ?? EMPTY_BYTES;
      const isCreation = args.to === undefined;
      return factory({ from, to, isCreation, value: args.value, input, gas, gasPrice }, state);
    });
  } catch (error) {
    if (error instanceof CallError && error.cause instanceof TransactionRejection)
      throw refused(`tracing failed: ${plainText(error.cause)}`);
    throw error;
  }
}

/** The reference names no numbers here. */
function plainText({ code, message }: TransactionRejection): string {
  return code === "INTRINSIC_GAS" ? "intrinsic gas too low" : message;
}
