import { checksumAddress } from "../../../protocol/account/address.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { type ApproveCall, approveCall, type SwapCall, swapCall } from "./calls.ts";
import { repayAmount } from "./loan.ts";

const UNLIMITED = 2n ** 256n - 1n;

/** What bundles are checked against: the swap router, and the nonces in the parent state. */
export interface BundleTerms {
  readonly chainId: bigint;
  readonly router: Address;
  /** Tokens that can be swapped for gas. */
  readonly tokens: readonly Address[];
  nonceOf(address: Address): bigint;
}

/** Whether a call approves the router for an accepted token without limit. @see KIP-247, A1 to A4 */
export function isGaslessApprove(call: ApproveCall | undefined, terms: BundleTerms): call is ApproveCall {
  if (call === undefined || !equalBytes(call.spender, terms.router)) return false;
  return call.amount === UNLIMITED && isAllowed(call.token, terms);
}

/** Whether a call swaps an accepted token at the router. @see KIP-247, S1 to S3 */
export function isGaslessSwap(call: SwapCall | undefined, terms: BundleTerms): call is SwapCall {
  return call !== undefined && equalBytes(call.router, terms.router) && isAllowed(call.token, terms);
}

function isAllowed(token: Address, { tokens }: BundleTerms): boolean {
  return tokens.some((allowed) => equalBytes(allowed, token));
}

/**
 * Why transactions are not a valid bundle for the next block, as worded by the reference node; undefined if they are.
 * @see KIP-247, AP1 and SP1 to SP4
 */
export function bundleFault(
  approve: Transaction | undefined,
  swap: Transaction,
  terms: BundleTerms,
): string | undefined {
  const call = swapCall(swap, terms.chainId);
  if (call === undefined) return "failed to decode swap transaction";
  if (!isGaslessSwap(call, terms)) return "swap transaction is not valid";
  const fault =
    approve === undefined ? swapNonceFault(call, swap, terms) : approveFault(approve, call, swap, terms);
  if (fault !== undefined) return fault;
  const expected = repayAmount(approve, swap);
  if (call.amountRepay === expected) return undefined;
  return `swap transaction has incorrect amountRepay: got ${call.amountRepay}, expected ${expected}`;
}

function swapNonceFault({ sender }: SwapCall, { nonce }: Transaction, terms: BundleTerms) {
  const current = terms.nonceOf(sender);
  if (nonce === current) return undefined;
  return `swap transaction nonce is not current: swap nonce ${nonce}, current nonce ${current}`;
}

function approveFault(approve: Transaction, swap: SwapCall, { nonce }: Transaction, terms: BundleTerms) {
  const call = approveCall(approve, terms.chainId);
  if (call === undefined) return "failed to decode approve transaction";
  if (!isGaslessApprove(call, terms)) return "approve transaction is not valid";
  if (!equalBytes(call.sender, swap.sender)) return "approve and swap transactions have different senders";
  if (!equalBytes(call.token, swap.token)) {
    const tokens = `approve token ${checksumAddress(call.token)}, swap token ${checksumAddress(swap.token)}`;
    return `approve transaction is for different token than swap transaction: ${tokens}`;
  }
  const expected = approve.nonce + 1n;
  if (nonce !== expected) {
    const nonces = `approve nonce ${approve.nonce}, swap nonce ${nonce} (expected ${expected})`;
    return `approve and swap transactions have non-sequential nonces: ${nonces}`;
  }
  const current = terms.nonceOf(call.sender);
  if (approve.nonce === current) return undefined;
  return `approve transaction nonce is not current: approve nonce ${approve.nonce}, current nonce ${current}`;
}
