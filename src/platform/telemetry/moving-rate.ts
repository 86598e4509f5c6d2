/** Interval at which the moving averages are updated. */
const TICK_MS = 5_000;

/** Windows of the three averages, minutes. */
const WINDOWS = [1, 5, 15] as const;
const WEIGHTS = WINDOWS.map((minutes) => 1 - Math.exp(-TICK_MS / 60_000 / minutes));

/** A total and its rates per second. */
export interface RateSnapshot {
  readonly total: number;
  /** Exponentially weighted over the last 1, 5 and 15 minutes, as of the last full 5 seconds. */
  readonly rates: readonly [number, number, number];
  /** Over the whole time. */
  readonly mean: number;
}

/**
 * Counts events and averages their rate as `uptime` does for load. It has no timer: missed ticks are applied when it is
 * next used.
 */
export class MovingRate {
  readonly #startMs: number;
  #tickedMs: number;
  #total = 0;
  #uncounted = 0;
  #rates: [number, number, number] | undefined;

  /** @param nowMs - epoch milliseconds */
  constructor(nowMs: number) {
    this.#startMs = nowMs;
    this.#tickedMs = nowMs;
  }

  mark(count: number, nowMs: number): void {
    this.#tick(nowMs);
    this.#total += count;
    this.#uncounted += count;
  }

  snapshot(nowMs: number): RateSnapshot {
    this.#tick(nowMs);
    const seconds = (nowMs - this.#startMs) / 1000;
    const mean = seconds > 0 ? this.#total / seconds : 0;
    return { total: this.#total, rates: this.#rates ?? [0, 0, 0], mean };
  }

  #tick(nowMs: number): void {
    const ticks = Math.floor((nowMs - this.#tickedMs) / TICK_MS);
    if (ticks <= 0) return;
    this.#tickedMs += ticks * TICK_MS;
    const current = this.#uncounted / (TICK_MS / 1000);
    this.#uncounted = 0;
    if (this.#rates === undefined) this.#rates = [current, current, current];
    else this.#age(current, 1);
    // Nothing was counted in the ticks after the first: the averages only fade.
    this.#age(0, ticks - 1);
  }

  #age(current: number, ticks: number): void {
    this.#rates = (this.#rates as number[]).map(
      (rate, i) => current + (rate - current) * (1 - (WEIGHTS[i] as number)) ** ticks,
    ) as [number, number, number];
  }
}
