import type { BlockContext } from "../../../../ledger/evm/evm.ts";
import type { CallBlockOverrides } from "../../spec/calls/block-overrides.ts";
import type { StateOverrides } from "../../spec/calls/calls.ts";

/** State and block overrides of a call. */
export interface CallOverrides {
  readonly state?: StateOverrides | undefined;
  readonly block?: CallBlockOverrides | undefined;
}

/**
 * The block context that a call with overrides sees. Rules and ancestor hashes stay those of the real block; names of the Execution
 * API take precedence over the older ones.
 */
export function overriddenContext(context: BlockContext, own: CallBlockOverrides): BlockContext {
  return {
    ...context,
    number: own.number ?? context.number,
    time: own.time ?? context.time,
    gasLimit: own.gasLimit ?? context.gasLimit,
    coinbase: own.feeRecipient ?? own.coinbase ?? context.coinbase,
    prevRandao: own.prevRandao ?? own.random ?? context.prevRandao,
    baseFee: own.baseFeePerGas ?? own.baseFee ?? context.baseFee,
    blobBaseFee: own.blobBaseFee ?? context.blobBaseFee,
  };
}
