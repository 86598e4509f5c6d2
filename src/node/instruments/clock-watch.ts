import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";

/** Between two looks. */
const LOOK_MS = 10_000;
/** What clocks that are disciplined by the network stay well below. */
const STEP_MS = 2000;

/**
 * Warns when the machine's clock was set. Nothing here waits by that clock, but the times of blocks follow it: never back, so
 * that after it was set back they rise by a second a block until it has caught up.
 * @returns ends it
 */
export function watchClock({ clock, timers }: Pick<Runtime, "clock" | "timers">, logger: Logger): () => void {
  let ahead = clock.now() - clock.elapsed();
  let cancel: Cancel;
  const look = (): void => {
    const now = clock.now() - clock.elapsed();
    const seconds = Math.round((now - ahead) / 1000);
    if (Math.abs(now - ahead) >= STEP_MS) {
      const direction = seconds < 0 ? "back" : "forward";
      logger.warn("the clock of this machine was set", { direction, seconds: Math.abs(seconds) });
    }
    ahead = now;
    cancel = timers.schedule(LOOK_MS, look);
  };
  cancel = timers.schedule(LOOK_MS, look);
  return () => cancel();
}
