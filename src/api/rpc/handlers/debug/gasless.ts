import type { Gasless } from "../../../../ledger/extensions/gasless/gasless.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import type { debugGasless } from "../../spec/debug/gasless.ts";
import type { Handlers } from "../../spec/method.ts";
import { withEnvelope } from "../transactions/submit.ts";

/** Gas abstraction, by the rules of the head. */
export function debugGaslessHandlers(gasless: Gasless): Handlers<typeof debugGasless> {
  return {
    isGaslessTx({ transactions }) {
      const reason = faultOf(transactions, gasless);
      return { isGasless: reason === undefined, reason: reason ?? null };
    },
    gaslessInfo() {
      const { address, tokens } = gasless.router();
      return {
        isDisabled: gasless.lender === undefined,
        swapRouter: address,
        allowedTokens: tokens,
        maxBundleTxs: gasless.maxPending,
      };
    },
  };
}

/** Why transactions are not a bundle, in the reference node's words; undefined if they are. */
function faultOf(encoded: readonly Uint8Array[], gasless: Gasless): string | undefined {
  if (encoded.length === 0) return "no transactions provided";
  const transactions: Transaction[] = [];
  for (const [index, raw] of encoded.entries()) {
    if (raw.length === 0) return `empty transaction at index ${index}`;
    const decoded = decode(raw);
    if (decoded instanceof Error) return `failed to decode transaction at index ${index}: ${decoded.message}`;
    transactions.push(decoded);
  }
  const [first, second] = transactions as [Transaction, Transaction?];
  if (transactions.length > 2) return `expected 1 or 2 transactions, got ${transactions.length}`;
  if (second === undefined)
    return gasless.isSwap(first) ? gasless.fault(undefined, first) : "transaction is not a swap transaction";
  if (!gasless.isApprove(first)) return "first transaction is not an approve transaction";
  if (!gasless.isSwap(second)) return "second transaction is not a swap transaction";
  return gasless.fault(first, second);
}

/** Ethereum's types come without Kaia's envelope; the reference node takes no other typed transaction here. */
function decode(raw: Uint8Array): Transaction | Error {
  try {
    return decodeTransaction(withEnvelope(raw));
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
}
