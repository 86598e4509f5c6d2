import { randomFillSync } from "node:crypto";
import type { Clock, Randomness, Runtime, Timers } from "./runtime.ts";
import { systemFiles } from "./system/files.ts";

const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Longest delay of `setTimeout`, almost 25 days; longer ones would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

const timers: Timers = {
  schedule(delayMs, callback) {
    if (delayMs <= 0) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};

const randomness: Randomness = { bytes: (length) => randomFillSync(new Uint8Array(length)) };

/** The real machine. */
export const systemRuntime: Runtime = { clock, timers, randomness, files: systemFiles };
