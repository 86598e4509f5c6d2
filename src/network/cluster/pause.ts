import type { Timers } from "../../platform/runtime/runtime.ts";

/** A pause that can be ended early. */
export class Pause {
  readonly #timers: Timers;
  #end: () => void = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Resolves after the given milliseconds, or as soon as `end` is called. */
  take(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.schedule(ms, resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the current pause, if any. */
  end(): void {
    this.#end();
  }
}
