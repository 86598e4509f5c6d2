import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";

/** A transaction in the pool with values derived from it on arrival. */
export interface Entry {
  readonly transaction: Transaction;
  readonly hash: Hash;
  /** `hash` as 0x hex, the key of the pool's index. */
  readonly hashKey: string;
  readonly from: Address;
  /** `from` as lower-case 0x hex. */
  readonly sender: string;
  /** 32 KiB slots that the encoded transaction takes. */
  readonly slots: number;
  /** Rises by one with each transaction that is added. */
  readonly arrival: number;
  /** Accounts (lower-case 0x hex) whose authorization a set-code transaction carries. */
  readonly authorities: readonly string[];
}

/** Bytes of one slot. */
export const SLOT_SIZE = 32_768;
/** Largest encoded transaction that the pool takes, without blob sidecar. */
export const MAX_TRANSACTION_SIZE = 4 * SLOT_SIZE;

/** Number of slots that an encoded transaction of `size` bytes takes. */
export function slotsOf(size: number): number {
  return Math.ceil(size / SLOT_SIZE);
}

/**
 * Effective tip per gas: the tip of a dynamic-fee transaction as far as its cap leaves room, else all of the price
 * above the base fee. Negative when the price is below the base fee.
 */
export function effectiveTip(transaction: Transaction, baseFee: bigint): bigint {
  const room = transaction.gasPrice - baseFee;
  const tip = transaction.maxPriorityFeePerGas;
  return tip !== undefined && tip < room ? tip : room;
}

/** Whether a type is one of the three cancel types (0x38…0x3a). */
export function isCancel(transaction: Transaction): boolean {
  return transaction.type.effect === "cancel";
}
