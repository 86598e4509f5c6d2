/** Hits and misses of a cache. */
export interface CacheUsage {
  readonly hits: number;
  readonly misses: number;
}

/**
 * Share of the limit for which eviction makes room at a time. To reach the oldest entry, V8 steps over all that were deleted before it
 * since the map was last rehashed, up to as many as it has: 6 µs for each addition to a full map of 16,384 entries.
 */
export const EVICTED_SHARE = 1 / 64;

/** A map that evicts the least recently used entries beyond a total weight, a 64th of it more than it must. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;
  /** Weight down to which entries are evicted. */
  readonly #goal: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;
  #hits = 0;
  #misses = 0;

  /**
   * @param limit - greatest sum of weights
   * @param weigh - weight of a value, always the same; 1 by default, so that `limit` is a number of entries
   */
  constructor(limit: number, weigh: (value: V) => number = () => 1) {
    this.#limit = limit;
    this.#goal = limit - Math.floor(limit * EVICTED_SHARE);
    this.#weigh = weigh;
  }

  /** Number of entries, whatever they weigh. */
  get size(): number {
    return this.#entries.size;
  }

  /** How often `get` found a value, and how often it did not. */
  get use(): CacheUsage {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** The value of a key, which becomes the most recently used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Adds or replaces an entry; one that alone weighs more than the limit is kept until the next. */
  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    if (this.#weight > this.#limit) this.#evict(key);
  }

  #evict(kept: K): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#goal || oldest === kept) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
