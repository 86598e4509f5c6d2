import { refused } from "../../../engine/errors.ts";

/** Calls back after so many milliseconds, unless it is cancelled. */
export type After = (delayMs: number, callback: () => void) => () => void;

/** Longest profile of one call; a longer one is started and stopped by two. */
const MOST_SECONDS = 600;

/** @throws RpcError -32000 for a profile that is too long */
export function checkedSeconds(seconds: number): number {
  if (seconds <= MOST_SECONDS) return seconds;
  throw refused(`at most ${MOST_SECONDS} seconds are profiled in one call`);
}

/** Waits, or until the caller or the node is gone. */
export function pause(after: After, seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = after(seconds * 1000, done);
    signal.addEventListener("abort", done);
  });
}
