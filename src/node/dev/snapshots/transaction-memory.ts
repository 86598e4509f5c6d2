import { transactionSize } from "../../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";

/** Bytes of a transaction besides its encoding, and of a list's reference to it. */
const OVERHEAD = 1000;
const REFERENCE = 8;

/** Counts the memory of lists of transactions, which may share transactions. */
export class TransactionMemory {
  readonly #holders = new Map<Transaction, number>();
  #bytes = 0;

  /** Bytes, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  add(list: readonly Transaction[]): void {
    for (const transaction of list) {
      const holders = this.#holders.get(transaction) ?? 0;
      this.#holders.set(transaction, holders + 1);
      this.#bytes += REFERENCE + (holders === 0 ? sizeOf(transaction) : 0);
    }
  }

  remove(list: readonly Transaction[]): void {
    for (const transaction of list) {
      const holders = this.#holders.get(transaction) ?? 1;
      if (holders === 1) this.#holders.delete(transaction);
      else this.#holders.set(transaction, holders - 1);
      this.#bytes -= REFERENCE + (holders === 1 ? sizeOf(transaction) : 0);
    }
  }
}

function sizeOf(transaction: Transaction): number {
  return OVERHEAD + transactionSize(transaction);
}
