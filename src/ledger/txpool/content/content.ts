import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { PoolEntry } from "./entry.ts";
import { createSender, type Sender } from "./sender.ts";
import { emptyTally } from "./tally.ts";

/**
 * The contents of the pool: pending list and queue of each sender, an index by hash, and totals. Keeps these consistent
 * but applies no rules.
 */
export class PoolContent {
  readonly tally = emptyTally();
  readonly #senders = new Map<string, Sender>();
  readonly #byHash = new Map<string, PoolEntry>();
  /** Number of transactions that carry an authorization of an account, by account. */
  readonly #authorities = new Map<string, number>();
  readonly #locals = new Set<string>();
  readonly #beats = new Map<string, number>();
  #pending = 0;
  #queued = 0;
  #slots = 0;
  #version = 0;

  get pending(): number {
    return this.#pending;
  }

  get queued(): number {
    return this.#queued;
  }

  /** Rises with every change. */
  get version(): number {
    return this.#version;
  }

  /** Number of transactions. */
  get size(): number {
    return this.#byHash.size;
  }

  /** Sum of the slots of all transactions. */
  get slots(): number {
    return this.#slots;
  }

  get(hashKey: string): PoolEntry | undefined {
    return this.#byHash.get(hashKey);
  }

  entries(): Iterable<PoolEntry> {
    return this.#byHash.values();
  }

  sender(key: string): Sender | undefined {
    return this.#senders.get(key);
  }

  senders(): Iterable<Sender> {
    return this.#senders.values();
  }

  hasAuthority(key: string): boolean {
    return this.#authorities.has(key);
  }

  isLocal(key: string): boolean {
    return this.#locals.has(key);
  }

  /** Exempts a sender from caps for the rest of the pool's life. */
  markLocal(key: string): void {
    this.#locals.add(key);
    const sender = this.#senders.get(key);
    if (sender !== undefined) sender.isLocal = true;
  }

  /** Time of each sender's last promotion, or else of its first queued transaction, in milliseconds of `Clock.elapsed`. */
  get beats(): Map<string, number> {
    return this.#beats;
  }

  /**
   * Lets `action` change the lists of a sender, creating them if needed, and updates the totals. The action calls
   * `index` and `unindex` for the entries it adds and removes.
   */
  change<T>(address: Address, key: string, action: (sender: Sender) => T): T {
    let sender = this.#senders.get(key);
    if (sender === undefined) {
      sender = createSender(address, key, this.#locals.has(key));
      this.#senders.set(key, sender);
    }
    this.#version++;
    const pending = sender.pending.length;
    const queued = sender.queue.length;
    try {
      return action(sender);
    } finally {
      this.#pending += sender.pending.length - pending;
      this.#queued += sender.queue.length - queued;
      if (sender.pending.length + sender.queue.length === 0) this.#senders.delete(key);
    }
  }

  /** Adds an entry to the index. */
  index(entry: PoolEntry): void {
    this.#byHash.set(entry.hashKey, entry);
    this.#slots += entry.slots;
    for (const key of entry.authorities) this.#authorities.set(key, (this.#authorities.get(key) ?? 0) + 1);
  }

  /** Removes an entry from the index. */
  unindex(entry: PoolEntry): void {
    if (!this.#byHash.delete(entry.hashKey)) return;
    this.#slots -= entry.slots;
    for (const key of entry.authorities) {
      const count = (this.#authorities.get(key) ?? 0) - 1;
      if (count > 0) this.#authorities.set(key, count);
      else this.#authorities.delete(key);
    }
  }

  /** Removes a transaction; later pending ones of its sender move back to the queue. */
  remove(entry: PoolEntry): void {
    const { nonce } = entry.transaction;
    this.unindex(entry);
    this.change(entry.from, entry.sender, ({ pending, queue }) => {
      if (pending.get(nonce) !== entry) {
        if (queue.get(nonce) === entry) queue.remove(nonce);
        return;
      }
      pending.remove(nonce);
      for (const later of pending.removeFrom(nonce)) this.#requeue(queue, later);
    });
  }

  /** Moves a formerly pending transaction to the queue of its sender. */
  demote(sender: Sender, entry: PoolEntry): void {
    this.#requeue(sender.queue, entry);
  }

  #requeue(queue: Sender["queue"], entry: PoolEntry): void {
    const loser = queue.accepts(entry, true) ? queue.put(entry) : entry;
    if (loser !== undefined) this.unindex(loser);
  }
}
