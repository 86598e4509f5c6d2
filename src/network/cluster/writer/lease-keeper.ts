import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import type { ChangeLog } from "../change-log.ts";
import { ClusterError, isTransient } from "../errors.ts";

/** Dependencies of a lease keeper. */
export interface LeaseParts {
  readonly log: Pick<ChangeLog, "renew">;
  readonly epoch: bigint;
  readonly ttlMs: number;
  /** When the lease was requested, by `Clock.elapsed`: it lasts at least `ttlMs` from then on. */
  readonly sinceMs: number;
  /** Whether blocks may be sealed while the database is unreachable, even after the lease has expired. */
  readonly outlivesDatabase: boolean;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  /** Called with the error when another node holds the lease. */
  onLost(error: ClusterError): void;
}

/** Renewals per term of a lease. */
const RENEWALS = 4;
/** Delay after a failed renewal. */
const RETRY_MS = 200;
/** How long an observation of an unreachable database is valid: another node may have taken over from a suspended process. */
const UNREACHABLE_VALID_MS = 12_000;

/**
 * Renews a lease until it is closed. Its expiry is computed with the local monotonic clock from the time before each renewal was sent, so
 * that it never lasts longer here than in the database, even if the clock is set or the process suspended.
 */
export class LeaseKeeper {
  readonly #parts: LeaseParts;
  #untilMs: number;
  /** When the database was last observed to be unreachable. */
  #unreachableMs: number | undefined;
  #cancel: Cancel = () => {};
  #isClosed = false;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#untilMs = parts.sinceMs + parts.ttlMs;
    this.#schedule(parts.ttlMs / RENEWALS);
  }

  /** Remaining milliseconds of the lease; negative once it has expired. */
  get leftMs(): number {
    return this.#untilMs - this.#parts.runtime.clock.elapsed();
  }

  /** @throws ClusterError `LOG_BUSY` unless the lease is valid, or blocks may be sealed without it */
  check(): void {
    if (this.leftMs > 0) return;
    const { outlivesDatabase, runtime } = this.#parts;
    const foundMs = this.#unreachableMs ?? Number.NEGATIVE_INFINITY;
    const isFresh = runtime.clock.elapsed() - foundMs < UNREACHABLE_VALID_MS;
    if (outlivesDatabase && foundMs >= this.#untilMs && isFresh) return;
    throw new ClusterError(
      "LOG_BUSY",
      "no blocks are sealed: the lease of the change log has run out and is being renewed",
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #schedule(ms: number): void {
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
      if (!isTransient(error)) return onLost(error as ClusterError);
      this.#unreachableMs = runtime.clock.elapsed();
    }
    if (!this.#isClosed) this.#schedule(this.#unreachableMs === undefined ? ttlMs / RENEWALS : RETRY_MS);
  }
}
