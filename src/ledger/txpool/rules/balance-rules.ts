import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { feeShares } from "../../../protocol/transaction/gas.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateReader } from "../../state/state.ts";
import { TransactionPoolError } from "../errors.ts";
import { balanceOf } from "../head.ts";

/**
 * Checks that sender and fee payer can pay the maximum fee and the value; the cost of blobs is left to block building, as in
 * the reference.
 * @throws TransactionPoolError `INSUFFICIENT_FUNDS`
 */
export function checkFunds(transaction: Transaction, from: Address, state: StateReader): void {
  const { value, feePayer, gas, gasPrice } = transaction;
  const shares = feeShares(transaction, gas * gasPrice);
  const balance = balanceOf(state, from);
  if (balance < value + shares.sender) throw senderIsPoor();
  if (feePayer === undefined) return;
  if (balanceOf(state, feePayer) < shares.feePayer) {
    const text = "insufficient funds of the fee payer for gas * price";
    throw new TransactionPoolError("INSUFFICIENT_FUNDS", text);
  }
  if (equalBytes(from, feePayer) && balance < value + shares.sender + shares.feePayer) throw senderIsPoor();
}

/** The trailing space is part of the reference node's text. */
function senderIsPoor(): TransactionPoolError {
  return new TransactionPoolError("INSUFFICIENT_FUNDS", "insufficient funds of the sender for value ");
}
