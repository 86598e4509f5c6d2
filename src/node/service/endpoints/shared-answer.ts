import type { Runtime } from "../../../platform/runtime/runtime.ts";

/** Milliseconds from the beginning of one making to that of the next. */
const INTERVAL_MS = 200;

/**
 * An answer that is costly to make and the same for everybody: made once for all who ask within an interval, at its end, so
 * that none is older than its question, and at once for whoever asks after a longer pause.
 */
export class SharedAnswer<T> {
  readonly #make: () => T;
  readonly #runtime: Pick<Runtime, "clock" | "timers">;
  #madeAt = Number.NEGATIVE_INFINITY;
  #next: Promise<T> | undefined;

  constructor(make: () => T, runtime: Pick<Runtime, "clock" | "timers">) {
    this.#make = make;
    this.#runtime = runtime;
  }

  /** @returns a promise only where the answer is shared @throws what making it throws */
  ask(): T | Promise<T> {
    const { clock, timers } = this.#runtime;
    const left = this.#madeAt + INTERVAL_MS - clock.elapsed();
    if (this.#next === undefined && left <= 0) return this.#makeNow();
    this.#next ??= new Promise((resolve, reject) => {
      timers.schedule(Math.max(0, left), () => {
        this.#next = undefined;
        try {
          resolve(this.#makeNow());
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#next;
  }

  #makeNow(): T {
    this.#madeAt = this.#runtime.clock.elapsed();
    return this.#make();
  }
}
