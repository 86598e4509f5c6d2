import { refused } from "../../../engine/errors.ts";

/** Calls back after so many milliseconds, unless it is cancelled. */
export type After = (delayMs: number, callback: () => void) => () => void;

/** Maximum duration of a profile in one call; a longer one takes a start and a stop call. */
const MAX_SECONDS = 600;

/** @throws RpcError -32000 for a profile that is too long */
export function checkedSeconds(seconds: number): number {
  if (seconds <= MAX_SECONDS) return seconds;
  throw refused(`at most ${MAX_SECONDS} seconds are profiled in one call`);
}

/** Waits for this long, or until the caller disconnects or the node stops. */
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
