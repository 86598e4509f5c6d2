import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Bundle, TransactionOrBundle } from "../../execution/block/bundle.ts";
import { type BundleTerms, bundleFault, isGaslessApprove, isGaslessSwap } from "./bundle-rules.ts";
import { approveCall, looksGasless, swapCall } from "./calls.ts";
import type { Lender } from "./loan.ts";

/**
 * Candidates of a block with gasless bundles in place of their parts, each at the position of its swap. An approval not
 * followed by its swap remains a single candidate, ahead of its sender's next transaction.
 */
export function* bundled(
  candidates: Iterable<Transaction>,
  terms: BundleTerms,
  lender: Lender,
): Generator<TransactionOrBundle, undefined> {
  const approvals = new Map<string, Transaction>();
  for (const tx of candidates) {
    if (approvals.size === 0 && !looksGasless(tx)) {
      yield tx;
      continue;
    }
    const key = bytesToHex(recoverSender(tx, terms.chainId).sender);
    const approve = approvals.get(key);
    approvals.delete(key);
    if (isGaslessSwap(swapCall(tx, terms.chainId), terms) && bundleFault(approve, tx, terms) === undefined) {
      yield bundleOf(approve, tx, terms, lender);
      continue;
    }
    if (approve !== undefined) yield approve;
    if (isGaslessApprove(approveCall(tx, terms.chainId), terms)) approvals.set(key, tx);
    else yield tx;
  }
  yield* approvals.values();
}

function bundleOf(
  approve: Transaction | undefined,
  swap: Transaction,
  { chainId }: BundleTerms,
  lender: Lender,
): Bundle {
  const { sender } = recoverSender(swap, chainId);
  return {
    transactions: approve === undefined ? [swap] : [approve, swap],
    lead: (state) => lender.lend(sender, approve, swap, state.nonce(lender.address)),
  };
}
