import { isLoopbackAddress, networkOf } from "../../../platform/runtime/client-network.ts";
import type { Scope } from "../spec/method.ts";

/** A rate limit per client. */
export interface RateOptions {
  /** Calls per second for each class of methods, and size of a burst. */
  readonly perSecond: number;
  /** Whether it applies to programs on this machine, too. */
  readonly loopback?: boolean | undefined;
}

/**
 * Methods of one scope share a bucket: heavy readers can still send. Subscriptions and unknown names have one of their
 * own.
 */
export type CallClass = Scope | "other";

interface Bucket {
  tokens: number;
  /** Time in milliseconds for which `tokens` is valid. */
  since: number;
}

/** After this long without a call every bucket is full again and can be dropped. */
const FULL_AFTER_MS = 1000;

/** A token bucket for each client address and class of methods. Clients idle for two seconds are forgotten. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #loopback: boolean;
  readonly #now: () => number;
  #recent = new Map<string, Bucket>();
  #earlier = new Map<string, Bucket>();
  #turnedAt = 0;

  /** @param now - milliseconds, monotonic */
  constructor({ perSecond, loopback = false }: RateOptions, now: () => number) {
    this.#perSecond = perSecond;
    this.#loopback = loopback;
    this.#now = now;
  }

  /** Number of buckets kept. */
  get size(): number {
    return this.#recent.size + this.#earlier.size;
  }

  /** Takes a token. @param address - of the client; empty where it has none @returns whether there was one */
  allows(address: string, callClass: CallClass): boolean {
    if (address === "" || (!this.#loopback && isLoopbackAddress(address))) return true;
    const now = this.#now();
    const bucket = this.#bucketOf(`${callClass} ${networkOf(address)}`, now);
    bucket.tokens = Math.min(
      this.#perSecond,
      bucket.tokens + ((now - bucket.since) / 1000) * this.#perSecond,
    );
    bucket.since = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #bucketOf(key: string, now: number): Bucket {
    if (now - this.#turnedAt > FULL_AFTER_MS) {
      this.#earlier = now - this.#turnedAt > 2 * FULL_AFTER_MS ? new Map() : this.#recent;
      this.#recent = new Map();
      this.#turnedAt = now;
    }
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const bucket = this.#earlier.get(key) ?? { tokens: this.#perSecond, since: now };
    this.#earlier.delete(key);
    this.#recent.set(key, bucket);
    return bucket;
  }
}
