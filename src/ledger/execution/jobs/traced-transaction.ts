import { contractAddress } from "../../../protocol/account/address.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { BlockContext } from "../../evm/evm.ts";
import type { TracedTransaction } from "../../evm/tracers/tracer.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { type CallRequest, callPrice } from "../calls/call.ts";
import { priceIn } from "../transaction/fees.ts";

/** A transaction as seen by tracers. One without a recipient that creates nothing appears as a transfer to its sender. */
export function tracedTransaction(tx: Transaction, context: BlockContext): TracedTransaction {
  const { sender } = recoverSender(tx, context.rules.chainId);
  const { effect } = tx.type;
  const isCreation = effect === "deploy" || (effect === "ethereum" && tx.to === undefined);
  return {
    from: sender,
    to: tx.to ?? (isCreation ? contractAddress(sender, tx.nonce) : sender),
    isCreation,
    value: tx.value,
    input: tx.input,
    gas: tx.gas,
    gasPrice: priceIn(tx, context),
    blockNumber: context.number,
  };
}

/** A call as seen by tracers. */
export function tracedCall(
  request: CallRequest,
  context: BlockContext,
  state: StateJournal,
): TracedTransaction {
  const { from, to, value, input, gas } = request;
  return {
    ...{ from, value, input, gas },
    to: to ?? contractAddress(from, state.nonce(from)),
    isCreation: to === undefined,
    gasPrice: callPrice(request, context),
    blockNumber: context.number,
  };
}
