import type { BlockContext } from "../../../../ledger/evm/evm.ts";
import type { CallBlockOverrides } from "../../spec/calls/block-overrides.ts";
import type { StateOverrides } from "../../spec/calls/calls.ts";

/** What a call assumes in place of what is. */
export interface CallOverrides {
  readonly state?: StateOverrides | undefined;
  readonly block?: CallBlockOverrides | undefined;
}

/**
 * The block as a call is to see it. The rules stay those of the real block, and so do the hashes of its ancestors; the names of the
 * Execution API come before the older ones.
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
