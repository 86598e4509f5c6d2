import { randomFillSync } from "node:crypto";
import type { Clock, Randomness, Runtime, Timers } from "./runtime.ts";
import { systemFiles } from "./system-files.ts";

const clock: Clock = { now: () => Date.now() };

const timers: Timers = {
  schedule(delayMs, callback) {
    if (delayMs <= 0) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

const randomness: Randomness = { bytes: (length) => randomFillSync(new Uint8Array(length)) };

/** The real machine. */
export const systemRuntime: Runtime = { clock, timers, randomness, files: systemFiles };
