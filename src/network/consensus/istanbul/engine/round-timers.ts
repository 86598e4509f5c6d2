import type { Cancel, Timers } from "../../../../platform/runtime/runtime.ts";

type TimerName = "round" | "absence" | "draft";

/** The timers of the round that a validator is in: its end, an absent proposer, an own block. */
export class RoundTimers {
  readonly #timers: Timers;
  readonly #running = new Map<TimerName, Cancel>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs a task after a delay, in place of the one that the same name waits for. */
  set(name: TimerName, delayMs: number, task: () => void): void {
    this.#running.get(name)?.();
    this.#running.set(name, this.#timers.schedule(delayMs, task));
  }

  /** Cancels all. */
  stop(): void {
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }
}
