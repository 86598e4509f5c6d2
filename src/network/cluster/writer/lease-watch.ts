import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { LogState } from "../change-log.ts";

/** Longest lease there is. If the database reports a longer one, its clock was set or the row was edited. */
export const LONGEST_LEASE_MS = 600_000;
/** Added so that the database's own clock decides first. */
const MARGIN_MS = 1_000;

/**
 * Decides by this machine's monotonic clock whether a lease has expired that the database's clock calls valid: one that nobody has
 * renewed for its remaining time when first seen. So setting the clock back does not keep a standby out for longer.
 */
export class LeaseWatch {
  readonly #clock: Pick<Clock, "elapsed">;
  #until = "";
  #overMs = 0;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /**
   * Must be called with each state that is read.
   * @returns the `until` with which an expired lease may be acquired; undefined while it is valid
   */
  overdue({ until, leftMs }: Pick<LogState, "until" | "leftMs">): string | undefined {
    const now = this.#clock.elapsed();
    if (until !== this.#until) {
      this.#until = until;
      this.#overMs = now + Math.min(Math.max(leftMs, 0), LONGEST_LEASE_MS) + MARGIN_MS;
    }
    return now >= this.#overMs ? until : undefined;
  }
}
