import type { Runtime } from "../../../platform/runtime/runtime.ts";

/** Minimum time between two computations. */
const INTERVAL_MS = 200;

/**
 * A throttled value that is costly to compute and the same for all callers. Calls within an interval of the last computation share
 * one at its end, so that no result is older than its call; a call after a longer pause computes it immediately.
 */
export class ThrottledValue<T> {
  readonly #compute: () => T;
  readonly #runtime: Pick<Runtime, "clock" | "timers">;
  #computedAt = Number.NEGATIVE_INFINITY;
  #next: Promise<T> | undefined;

  constructor(compute: () => T, runtime: Pick<Runtime, "clock" | "timers">) {
    this.#compute = compute;
    this.#runtime = runtime;
  }

  /** @returns a promise if the computation is deferred @throws what `compute` throws */
  get(): T | Promise<T> {
    const { clock, timers } = this.#runtime;
    const left = this.#computedAt + INTERVAL_MS - clock.elapsed();
    if (this.#next === undefined && left <= 0) return this.#computeNow();
    this.#next ??= new Promise((resolve, reject) => {
      timers.schedule(Math.max(0, left), () => {
        this.#next = undefined;
        try {
          resolve(this.#computeNow());
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#next;
  }

  #computeNow(): T {
    this.#computedAt = this.#runtime.clock.elapsed();
    return this.#compute();
  }
}
