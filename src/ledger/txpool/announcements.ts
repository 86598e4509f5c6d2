import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { type PoolEntry, transactionsOf } from "./content/entry.ts";

type Listener = (transactions: readonly Transaction[]) => void;

/** Tells of transactions that have become pending: at once, or, together, once the journal has them. */
export class Announcements {
  readonly #listeners = new Set<Listener>();
  readonly #isThere: (entry: PoolEntry) => boolean;
  /** Entries to be announced, by what they wait for. */
  readonly #waiting = new WeakMap<Promise<void>, PoolEntry[]>();

  /** @param isThere - whether an entry is still in the pool */
  constructor(isThere: (entry: PoolEntry) => boolean) {
    this.#isThere = isThere;
  }

  /** @returns a function that unsubscribes */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Drops all listeners. */
  close(): void {
    this.#listeners.clear();
  }

  /** Announces entries that have become pending together: once the one of them that is being written is. */
  announce(entries: readonly PoolEntry[]): void {
    const written = entries.find((entry) => entry.written !== undefined)?.written;
    const waiting = written && this.#waiting.get(written);
    if (written === undefined) this.#tell(transactionsOf(entries));
    else if (waiting === undefined) this.#tellOnce(written, [...entries]);
    else waiting.push(...entries);
  }

  #tellOnce(written: Promise<void>, entries: PoolEntry[]): void {
    this.#waiting.set(written, entries);
    const tell = (): void => this.#tell(transactionsOf(entries.filter(this.#isThere)));
    written.then(tell, () => {}); // none of those that were not written stays in the pool
  }

  #tell(transactions: readonly Transaction[]): void {
    if (transactions.length > 0) for (const listener of this.#listeners) listener(transactions);
  }
}
