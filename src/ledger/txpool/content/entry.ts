import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";

/** A transaction in the pool, with values derived on arrival. */
export interface PoolEntry {
  readonly transaction: Transaction;
  readonly hash: Hash;
  /** `hash` as 0x hex, the key of the pool's index. */
  readonly hashKey: string;
  readonly from: Address;
  /** `from` as lower-case 0x hex. */
  readonly sender: string;
  /** Number of 32 KiB slots taken by the encoded transaction. */
  readonly slots: number;
  /** Order of arrival, incremented for each transaction. */
  readonly arrival: number;
  /** Authorities (lower-case 0x hex) of a set-code transaction's authorizations. */
  readonly authorities: readonly string[];
  /** While it is being written to the journal: resolves once it is, rejects if it cannot be. */
  written: Promise<void> | undefined;
  /** Meanwhile, the entry that it has replaced. */
  replaced: PoolEntry | undefined;
}

/** The transactions of entries, in order. */
export function transactionsOf(entries: readonly PoolEntry[]): Transaction[] {
  return entries.map(({ transaction }) => transaction);
}

/** Bytes of one slot of the pool. */
export const POOL_SLOT_SIZE = 32_768;

/** Number of slots taken by an encoded transaction of `size` bytes. */
export function slotsOf(size: number): number {
  return Math.ceil(size / POOL_SLOT_SIZE);
}

/**
 * Effective tip per gas: the priority fee of a dynamic-fee transaction, limited by its fee cap minus the base fee; for other
 * transactions, the gas price minus the base fee. Negative if the price is below the base fee.
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
