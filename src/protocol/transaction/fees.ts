import type { Rules } from "../params/forks.ts";
import type { Transaction } from "./transaction.ts";

/** The members of a transaction that determine its price. */
type Priced = Pick<Transaction, "gasPrice" | "maxPriorityFeePerGas">;

/**
 * What the proposer gets per unit of gas above the base fee.
 * @param baseFee - absent before magma; then the whole tip counts
 * @returns kei; 0 if the price is below the base fee
 */
export function effectiveGasTip(tx: Priced, baseFee?: bigint): bigint {
  const tip = tx.maxPriorityFeePerGas ?? tx.gasPrice;
  if (baseFee === undefined) return tip;
  const left = tx.gasPrice > baseFee ? tx.gasPrice - baseFee : 0n;
  return tip < left ? tip : left;
}

/**
 * Price per unit of gas that a transaction pays in a block: its own price before magma, the base fee from magma to
 * kaia, base fee and tip from kaia on.
 * @param baseFee - of the block; absent before magma, and while the transaction is pending
 * @returns kei
 * @see KIP-71, KIP-162
 */
export function effectiveGasPrice(
  tx: Priced,
  baseFee: bigint | undefined,
  rules: Pick<Rules, "kaia">,
): bigint {
  if (baseFee === undefined) return tx.gasPrice;
  return rules.kaia ? baseFee + effectiveGasTip(tx, baseFee) : baseFee;
}

/** Both parts of a fee, in kei. */
export interface FeeShares {
  readonly feePayer: bigint;
  readonly sender: bigint;
}

/**
 * Splits a fee by the ratio of the fee payer, whose part is rounded down.
 * @param ratio - percentage
 */
export function splitFee(fee: bigint, ratio: number): FeeShares {
  const feePayer = (fee * BigInt(ratio)) / 100n;
  return { feePayer, sender: fee - feePayer };
}

/** The shares of a transaction's fee: `feePayer` is 0 if the sender pays alone. */
export function feeShares(tx: Transaction, fee: bigint): FeeShares {
  if (tx.type.feeMode === "sender") return { feePayer: 0n, sender: fee };
  return tx.type.feeMode === "feePayer" ? { feePayer: fee, sender: 0n } : splitFee(fee, tx.feeRatio ?? 0);
}
