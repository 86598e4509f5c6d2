import type { Cancel, Timers } from "../../../../platform/runtime/runtime.ts";

type TimerName = "round" | "absentProposer" | "draft";

/** The timers of a validator: the round timeout, that of an absent proposer, the start of a draft, and messages that come too early. */
export class RoundTimers {
  readonly #timers: Timers;
  readonly #running = new Map<TimerName, Cancel>();
  readonly #added = new Set<Cancel>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs a task after a delay, replacing the pending one of the same name. */
  set(name: TimerName, delayMs: number, task: () => void): void {
    this.#running.get(name)?.();
    this.#running.set(name, this.#timers.schedule(delayMs, task));
  }

  /** Runs a task after a delay, besides all others. */
  add(delayMs: number, task: () => void): void {
    const cancel = this.#timers.schedule(delayMs, () => {
      this.#added.delete(cancel);
      task();
    });
    this.#added.add(cancel);
  }

  /** Cancels all timers. */
  stop(): void {
    for (const cancel of this.#added) cancel();
    this.#added.clear();
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }
}
