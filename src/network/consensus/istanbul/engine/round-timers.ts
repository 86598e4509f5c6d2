import type { Cancel, Timers } from "../../../../platform/runtime/runtime.ts";

type TimerName = "round" | "absentProposer" | "draft";

/** The timers of a validator's current round: the round timeout, that of an absent proposer, and the start of a draft. */
export class RoundTimers {
  readonly #timers: Timers;
  readonly #running = new Map<TimerName, Cancel>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs a task after a delay, replacing the pending one of the same name. */
  set(name: TimerName, delayMs: number, task: () => void): void {
    this.#running.get(name)?.();
    this.#running.set(name, this.#timers.schedule(delayMs, task));
  }

  /** Cancels all timers. */
  stop(): void {
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }
}
