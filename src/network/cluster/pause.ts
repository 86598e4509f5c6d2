import type { Timers } from "../../platform/runtime/runtime.ts";

/** A pause that may be ended early. */
export class Pause {
  readonly #timers: Timers;
  #end: () => void = () => {};

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Resolves after so many milliseconds, or as soon as the pause is ended. */
  take(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.schedule(ms, resolve);
      this.#end = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the pause that is being taken, if there is one. */
  end(): void {
    this.#end();
  }
}
