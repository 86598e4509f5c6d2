import type { PoolEntry } from "./entry.ts";
import { isCancel } from "./entry.ts";

/**
 * Transactions of one sender in ascending nonce order, at most one per nonce. A sorted array, as nearly every change is at
 * one of its ends.
 */
export class NonceList {
  #entries: PoolEntry[] = [];

  get length(): number {
    return this.#entries.length;
  }

  /** The entries in order; valid until the next change. */
  get entries(): readonly PoolEntry[] {
    return this.#entries;
  }

  get last(): PoolEntry | undefined {
    return this.#entries[this.#entries.length - 1];
  }

  get(nonce: bigint): PoolEntry | undefined {
    const entry = this.#entries[this.#lowerBound(nonce)];
    return entry?.transaction.nonce === nonce ? entry : undefined;
  }

  /**
   * Whether an entry can be inserted. An entry with the same nonce is always replaced by a cancel transaction, and by others
   * only if `replaceable` and the new price is strictly higher.
   */
  accepts(entry: PoolEntry, replaceable: boolean): boolean {
    const old = this.get(entry.transaction.nonce);
    if (old === undefined || isCancel(entry.transaction)) return true;
    return replaceable && entry.transaction.gasPrice > old.transaction.gasPrice;
  }

  /** Inserts an entry. @returns the entry with the same nonce that it replaced */
  put(entry: PoolEntry): PoolEntry | undefined {
    const { nonce } = entry.transaction;
    const index = this.#lowerBound(nonce);
    const old = this.#entries[index];
    const isTaken = old?.transaction.nonce === nonce;
    this.#entries.splice(index, isTaken ? 1 : 0, entry);
    return isTaken ? old : undefined;
  }

  remove(nonce: bigint): PoolEntry | undefined {
    const index = this.#lowerBound(nonce);
    if (this.#entries[index]?.transaction.nonce !== nonce) return undefined;
    return this.#entries.splice(index, 1)[0];
  }

  /** Removes the entries below `nonce`. */
  removeBelow(nonce: bigint): PoolEntry[] {
    return this.#entries.splice(0, this.#lowerBound(nonce));
  }

  /** Removes the entries from `nonce` on. */
  removeFrom(nonce: bigint): PoolEntry[] {
    return this.#entries.splice(this.#lowerBound(nonce));
  }

  /** Removes every entry for which `test` holds. */
  removeWhere(test: (entry: PoolEntry) => boolean): PoolEntry[] {
    const removed = this.#entries.filter(test);
    if (removed.length > 0) {
      const gone = new Set(removed);
      this.#entries = this.#entries.filter((entry) => !gone.has(entry));
    }
    return removed;
  }

  /** Removes all but the `count` lowest entries. */
  keepLowest(count: number): PoolEntry[] {
    return this.#entries.splice(count);
  }

  /** Removes the run of consecutive nonces that starts at `nonce`, up to the first entry for which `accepts` fails. */
  takeRun(nonce: bigint, accepts: (entry: PoolEntry) => boolean): PoolEntry[] {
    const entries = this.#entries;
    const start = this.#lowerBound(nonce);
    let end = start;
    for (let next = nonce; end < entries.length; end++, next++) {
      const entry = entries[end] as PoolEntry;
      if (entry.transaction.nonce !== next || !accepts(entry)) break;
    }
    return entries.splice(start, end - start);
  }

  /** Index of the first entry at or above `nonce`. */
  #lowerBound(nonce: bigint): number {
    const entries = this.#entries;
    let high = entries.length;
    if (high === 0 || nonce > (entries[high - 1] as PoolEntry).transaction.nonce) return high;
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as PoolEntry).transaction.nonce < nonce) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
