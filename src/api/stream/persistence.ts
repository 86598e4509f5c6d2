import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { unlessAborted } from "../../platform/runtime/unless-aborted.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { StreamError } from "./errors.ts";

/** Pause after the first failure; each further one doubles it. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
/** One in this many failures is logged. */
const LOG_EVERY = 10;

/** Work that is retried until it succeeds. */
export interface RetriedWork<T> {
  /** For the log: `a block group cannot be sent`. */
  readonly complaint: string;
  readonly number: bigint;
  attempt(): Promise<T>;
  /** @param attempts - consecutive failures; 0 after a success */
  counted?(attempts: number): void;
}

/**
 * Retries until it succeeds, with growing pauses.
 * @throws StreamError `PAUSED` when no further try can succeed; the signal's reason when it is aborted, at once
 */
export async function retry<T>(
  { complaint, number, attempt, counted }: RetriedWork<T>,
  {
    timers,
    logger,
    signal,
  }: { readonly timers: Timers; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<T> {
  for (let failures = 0, pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const result = await unlessAborted(attempt(), signal);
      counted?.(0);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StreamError && error.code === "PAUSED") throw error;
      failures++;
      counted?.(failures);
      const reason = (error as Error).message;
      if (failures % LOG_EVERY === 1) logger.warn(complaint, { number, failures, reason });
      await pause(timers, pauseMs, signal);
    }
  }
}

function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  let cancel: Cancel = () => {};
  const over = new Promise<void>((resolve) => {
    cancel = timers.schedule(ms, resolve);
  });
  return unlessAborted(over, signal).finally(cancel);
}
