import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import type { ChangeLog } from "../change-log.ts";
import { ClusterError, isPassing } from "../errors.ts";

/** Dependencies of a lease keeper. */
export interface LeaseParts {
  readonly log: Pick<ChangeLog, "renew">;
  readonly epoch: bigint;
  readonly ttlMs: number;
  /** When the lease was requested, by `Clock.elapsed`: it lasts at least `ttlMs` from then on. */
  readonly sinceMs: number;
  /** Whether blocks may be made while the database is unreachable, although the lease may have expired by then. */
  readonly outlivesDatabase: boolean;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  /** Called with the error when another node holds the lease. */
  onLost(error: ClusterError): void;
}

/** How often a lease is renewed per term. */
const RENEWALS = 4;
/** Pause after a failed renewal. */
const RETRY_MS = 200;
/** How long a database found unreachable counts as such: another node may have taken over from a suspended process. */
const FRESH_MS = 12_000;

/**
 * Renews a lease until it is closed. Its end is computed with this machine's monotonic clock from before each renewal was sent, so
 * that neither a change of the clock nor a suspended process makes it last longer here than in the database.
 */
export class LeaseKeeper {
  readonly #parts: LeaseParts;
  #untilMs: number;
  /** When the database was found to be unreachable. */
  #unreachableMs: number | undefined;
  #cancel: Cancel = () => {};
  #isClosed = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#untilMs = parts.sinceMs + parts.ttlMs;
    this.#later(parts.ttlMs / RENEWALS);
  }

  /** Remaining milliseconds of the lease; negative once it has expired. */
  get leftMs(): number {
    return this.#untilMs - this.#parts.runtime.clock.elapsed();
  }

  /** @throws ClusterError `LOG_BUSY` while it is unknown whether the lease is still valid */
  check(): void {
    if (this.leftMs > 0) return;
    const { outlivesDatabase, runtime } = this.#parts;
    const foundMs = this.#unreachableMs ?? Number.NEGATIVE_INFINITY;
    const isFresh = runtime.clock.elapsed() - foundMs < FRESH_MS;
    if (outlivesDatabase && foundMs >= this.#untilMs && isFresh) return;
    throw new ClusterError(
      "LOG_BUSY",
      "no blocks are made: the lease of the change log has run out and is being renewed",
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #later(ms: number): void {
    this.#cancel = this.#parts.runtime.timers.schedule(ms, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const { log, epoch, ttlMs, runtime, onLost } = this.#parts;
    const sentMs = runtime.clock.elapsed();
    try {
      await log.renew(epoch, ttlMs);
      this.#untilMs = sentMs + ttlMs;
      this.#unreachableMs = undefined;
    } catch (error) {
      if (this.#isClosed) return;
      if (!isPassing(error)) return onLost(error as ClusterError);
      this.#unreachableMs = runtime.clock.elapsed();
    }
    if (!this.#isClosed) this.#later(this.#unreachableMs === undefined ? ttlMs / RENEWALS : RETRY_MS);
  }
}
