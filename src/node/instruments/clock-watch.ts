import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";

/** Interval between checks. */
const CHECK_MS = 10_000;
/** Well above the drift of a network-synchronised clock. */
const STEP_MS = 2000;

/**
 * Warns when the machine's clock was set. No timer depends on it, but block timestamps follow it and never go back:
 * after it was set back they rise by one second per block until it has caught up.
 * @returns ends it
 */
export function watchClock({ clock, timers }: Pick<Runtime, "clock" | "timers">, logger: Logger): () => void {
  let offset = clock.now() - clock.elapsed();
  let cancel: Cancel;
  const check = (): void => {
    const now = clock.now() - clock.elapsed();
    const seconds = Math.round((now - offset) / 1000);
    if (Math.abs(now - offset) >= STEP_MS) {
      const direction = seconds < 0 ? "back" : "forward";
      logger.warn("the clock of this machine was set", { direction, seconds: Math.abs(seconds) });
    }
    offset = now;
    cancel = timers.schedule(CHECK_MS, check);
  };
  cancel = timers.schedule(CHECK_MS, check);
  return () => cancel();
}
