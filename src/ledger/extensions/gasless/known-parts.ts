import { TransactionPoolError } from "../../txpool/errors.ts";

/** How long a part of a bundle may stay in the pool, queued or pending. */
const MAX_STAY_MS = 10_000;
/** How long a part is not accepted again. */
const COOLDOWN_MS = 30_000;

/** The refusal of a part while too many are queued, as worded by the reference node. */
export function queueFull(): TransactionPoolError {
  return new TransactionPoolError("POOL_FULL", "bundle tx queue is full");
}

type Status = "queued" | "pending" | "gone";

/** A part of a bundle that was submitted to the pool, accepted or not. */
interface KnownPart {
  status: Status;
  /** Milliseconds of `Clock.elapsed`. */
  readonly addedMs: number;
  promotedMs: number | undefined;
}

/** Returns the status of a transaction in the pool; undefined if it is not in the pool. */
export type StatusOf = (hashKey: string) => "queued" | "pending" | undefined;

/**
 * Parts of bundles submitted to the pool, by hash. They cost their senders nothing, so their stay, their number and their
 * resubmission are limited. Measured on reference node v2.2.1.
 */
export class KnownParts {
  readonly #known = new Map<string, KnownPart>();
  readonly #maxQueued: number;
  readonly #now: () => number;

  /** @param now - milliseconds of `Clock.elapsed` */
  constructor(maxQueued: number, now: () => number) {
    this.#maxQueued = maxQueued;
    this.#now = now;
  }

  /** Number of pending parts, including those of the newest block until `reconcile` is called. */
  get pending(): number {
    return this.#count("pending");
  }

  /**
   * Records a part about to be checked.
   * @throws TransactionPoolError `KNOWN_TRANSACTION` during its cooldown, `POOL_FULL` while too many are queued
   */
  screen(hashKey: string): void {
    const known = this.#known.get(hashKey);
    if (known !== undefined && this.#age(known.promotedMs ?? known.addedMs) < COOLDOWN_MS)
      throw new TransactionPoolError("KNOWN_TRANSACTION", "cannot add known bundle tx during cooldown");
    if (this.#count("queued") >= this.#maxQueued) throw queueFull();
    if (known !== undefined) known.status = "queued";
    else this.#known.set(hashKey, { status: "queued", addedMs: this.#now(), promotedMs: undefined });
  }

  /** Records that a part became pending. */
  promote(hashKey: string): void {
    const known = this.#known.get(hashKey);
    if (known === undefined) return;
    known.status = "pending";
    known.promotedMs ??= this.#now();
  }

  /** @returns the parts that have been in the pool for too long; drops those whose cooldown is over */
  expire(): string[] {
    const expired: string[] = [];
    for (const [hashKey, part] of this.#known) {
      const { status, addedMs, promotedMs } = part;
      const since = status === "pending" ? promotedMs : status === "queued" ? addedMs : undefined;
      if (since !== undefined && this.#age(since) >= MAX_STAY_MS) expired.push(hashKey);
      if (this.#age(promotedMs ?? addedMs) >= COOLDOWN_MS) this.#known.delete(hashKey);
    }
    return expired;
  }

  /** Updates all statuses from the pool. */
  reconcile(statusOf: StatusOf): void {
    for (const [hashKey, known] of this.#known) {
      known.status = statusOf(hashKey) ?? "gone";
      if (known.status === "pending") known.promotedMs ??= this.#now();
    }
  }

  #count(status: Status): number {
    let count = 0;
    for (const known of this.#known.values()) if (known.status === status) count++;
    return count;
  }

  #age(sinceMs: number): number {
    return this.#now() - sinceMs;
  }
}
