import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { LogState } from "../change-log.ts";

/** Longest lease there is. A database that says that one lasts longer has had its clock set, or its row edited. */
export const LONGEST_LEASE_MS = 600_000;
/** The database's own clock comes first. */
const MARGIN_MS = 1_000;

/**
 * Tells by this machine's monotonic clock whether a lease is over that the database's clock calls valid: one that nobody has
 * renewed for as long as it was to last when it was first seen. So a clock that is set back does not keep a standby out for as long.
 */
export class LeaseWatch {
  readonly #clock: Pick<Clock, "elapsed">;
  #until = "";
  #overMs = 0;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /**
   * To be asked of each state that is seen.
   * @returns its `until`, with which it may be acquired; undefined while it counts
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
