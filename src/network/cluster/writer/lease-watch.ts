import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { LogState } from "../change-log.ts";

/** Maximum duration of a lease. If the database reports more, its clock was set or the row was edited. */
export const MAX_LEASE_MS = 600_000;
/** Added so that the database's own clock decides first. */
const MARGIN_MS = 1_000;

/**
 * Decides by the local monotonic clock whether a lease has expired although the database's clock says otherwise: if it was not renewed for
 * its remaining time when first seen. So setting back the database's clock does not delay a standby.
 */
export class LeaseWatch {
  readonly #clock: Pick<Clock, "elapsed">;
  #until = "";
  #overMs = 0;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /**
   * Must be called with each state read.
   * @returns the `until` with which an expired lease may be acquired; undefined while it is valid
   */
  overdue({ until, leftMs }: Pick<LogState, "until" | "leftMs">): string | undefined {
    const now = this.#clock.elapsed();
    if (until !== this.#until) {
      this.#until = until;
      this.#overMs = now + Math.min(Math.max(leftMs, 0), MAX_LEASE_MS) + MARGIN_MS;
    }
    return now >= this.#overMs ? until : undefined;
  }
}
