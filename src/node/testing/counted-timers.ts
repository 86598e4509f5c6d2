import type { Timers } from "../../platform/runtime/runtime.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";

/** Real timers that know how many are running, and who scheduled them. */
export function countedTimers(): Timers & { readonly running: () => readonly string[] } {
  const running = new Map<() => void, string>();
  return {
    running: () => [...running.values()],
    schedule(delayMs, callback) {
      const cancel = systemRuntime.timers.schedule(delayMs, () => {
        running.delete(cancel);
        callback();
      });
      const [, , caller = ""] = (new Error("schedule").stack ?? "").split("\n");
      running.set(cancel, `${caller.trim()} in ${delayMs} ms`);
      return () => {
        running.delete(cancel);
        cancel();
      };
    },
  };
}
