import { UnsentBytes } from "../../../platform/http/budget.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import type { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { WaitFailure } from "../../../platform/runtime/turns/wait-queue.ts";
import { limitExceeded, type RpcError, refused } from "../engine/errors.ts";
import { Draft } from "../engine/text/draft.ts";
import type { QueuedCaller } from "../spec/method.ts";
import { clientOf } from "./caller.ts";
import { type PlaceLimits, ReadingPlaces } from "./reading-places.ts";

/** Limits of concurrent reads. */
export interface ReadLimits {
  /** Reads that need more than one slice, until they have worked for `longAfterMs`. */
  readonly short: PlaceLimits;
  /** Longer reads. Those waiting for a place here hold what they have found so far. */
  readonly long: PlaceLimits;
  /** Milliseconds of work after which a read counts as long. */
  readonly longAfterMs: number;
  /** Time limit of a read in milliseconds, waiting included. */
  readonly timeoutMs: number;
  /** Bytes buffered for all clients, including responses being built. */
  readonly unsent: UnsentBytes;
}

const LIMITS: Omit<ReadLimits, "unsent"> = {
  short: { atOnce: 4, atOnceOfOne: 2, waiting: 256, waitingPerClient: 64 },
  long: { atOnce: 12, atOnceOfOne: 4, waiting: 64, waitingPerClient: 16 },
  longAfterMs: 100,
  timeoutMs: 60_000,
};

/** The error of a read that takes too long. */
const TIMEOUT = "the read took too long";

/** A read's time limit and error text, where not the default. */
export interface Ending {
  readonly timeoutMs?: number;
  readonly text?: string;
}

const LEFT = "the caller has disconnected";

/** The caller that waits for the response. */
export type Caller = QueuedCaller;

/**
 * Reads of unbounded size: dumps, ranges of logs, proofs of old states. Together they hold the thread for one slice
 * per turn; a read that ends within its first slice has no overhead. Long reads have places of their own, so
 * that a small read gets its turn however many clients have large ones.
 */
export class HeavyReads {
  readonly #slice: Pick<TimeSlice, "isDue" | "yield">;
  readonly #limits: ReadLimits;
  readonly #short: ReadingPlaces;
  readonly #long: ReadingPlaces;
  readonly #now: () => number;

  /**
   * @param slice - shared with everything else that yields
   * @param now - milliseconds, monotonic
   */
  constructor(
    slice: Pick<TimeSlice, "isDue" | "yield">,
    limits: Partial<ReadLimits> = {},
    now = () => performance.now(),
  ) {
    this.#slice = slice;
    this.#limits = { ...LIMITS, unsent: new UnsentBytes(Number.POSITIVE_INFINITY), ...limits };
    this.#short = new ReadingPlaces(this.#limits.short);
    this.#long = new ReadingPlaces(this.#limits.long);
    this.#now = now;
  }

  /** Reads in progress, including those waiting to continue. */
  get use(): { readonly running: number; readonly waiting: number } {
    const [first, then] = [this.#short, this.#long];
    return { running: first.running + then.running, waiting: first.waiting + then.waiting };
  }

  /**
   * Runs `work` with a pace that ends it when the caller disconnects or the time limit is over. The draft holds the response
   * so far.
   * @returns a promise only if the work does
   * @throws RpcError -32005 if too many reads are in progress, -32000 if it takes too long
   */
  run<T>(
    caller: Caller,
    work: (pace: Pace, draft: Draft) => T | Promise<T>,
    { timeoutMs = this.#limits.timeoutMs, text = TIMEOUT }: Ending = {},
  ): T | Promise<T> {
    const slice = this.#slice;
    const now = this.#now;
    let resumedMs = now();
    let workedMs = 0;
    let held: ReadingPlaces | undefined;
    const endMs = resumedMs + timeoutMs;
    const check = () => {
      if (caller.signal.aborted) throw refused(LEFT);
      if (now() > endMs) throw refused(text);
    };
    const lost = (why: WaitFailure) => (why === "late" ? refused(text) : noPlace(why));
    const pace: Pace = {
      isDue: () => slice.isDue(),
      yield: async () => {
        workedMs += now() - resumedMs;
        const places = workedMs > this.#limits.longAfterMs ? this.#long : this.#short;
        if (held !== places) {
          held?.give(caller);
          held = undefined;
          await places.take(caller, endMs - now(), lost);
          held = places;
        }
        check();
        await slice.yield(places === this.#long ? "reads" : "newReads", clientOf(caller));
        check();
        resumedMs = now();
      },
    };
    const draft = new Draft(this.#limits.unsent, caller.connection);
    const result = work(pace, draft);
    if (!(result instanceof Promise)) return result;
    return result.finally(() => {
      draft.clear();
      held?.give(caller);
    });
  }
}

function noPlace(why: WaitFailure): RpcError {
  if (why === "left") return refused(LEFT);
  const whose = why === "clientFull" ? " of this client" : "";
  return limitExceeded(`too many reads${whose} in progress: retry later`);
}
