import type { Pace } from "../../../platform/runtime/pace.ts";
import { Places } from "../../../platform/runtime/places.ts";
import type { TimeSlice } from "../../../platform/runtime/time-slice.ts";
import { type LineLane, type LostTurn, laneOf, WaitingLine } from "../../../platform/runtime/waiting-line.ts";
import { limitExceeded, type RpcError, refused } from "../engine/errors.ts";
import { type Asker, standingOf } from "../spec/method.ts";

/** How much reading there may be at once. */
export interface ReadLimits {
  /** Readings that have more than one slice of work and hold their results so far. */
  readonly atOnce: number;
  /** Those of one connection. */
  readonly atOnceOfOne: number;
  /** Readings that wait for one of these to end. */
  readonly waiting: number;
  /** Those of one connection. */
  readonly waitingOfOne: number;
  /** Milliseconds from the beginning of a reading, its waits included. */
  readonly timeoutMs: number;
}

const LIMITS: ReadLimits = {
  ...{ atOnce: 16, atOnceOfOne: 4 },
  ...{ waiting: 256, waitingOfOne: 64 },
  timeoutMs: 60_000,
};

/** How a reading ends that takes too long. */
const TIMEOUT = "the reading took too long";

/** When a reading takes too long, where not the default, and what is said then. */
export interface Ending {
  readonly timeoutMs?: number;
  readonly text?: string;
}

const LEFT = "the caller has left";

/** Who waits for the answer. */
export type Caller = Asker;

/**
 * Readings without a small bound: dumps, ranges of logs, proofs of old states. All of them together hold the thread for one
 * slice of a turn; what ends within its first slice costs nothing more.
 */
export class HeavyReads {
  readonly #slice: Pick<TimeSlice, "isDue" | "giveWay">;
  readonly #limits: ReadLimits;
  readonly #line: WaitingLine;
  readonly #places: Places;
  /** How many places each connection has taken. */
  readonly #taken = new Map<unknown, number>();

  /** @param slice shared with whatever else gives way */
  constructor(slice: Pick<TimeSlice, "isDue" | "giveWay">, limits: Partial<ReadLimits> = {}) {
    this.#slice = slice;
    this.#limits = { ...LIMITS, ...limits };
    this.#line = new WaitingLine(this.#limits);
    this.#places = new Places(this.#limits.atOnce);
  }

  /** Readings that are under way, and that wait to go on. */
  get use(): { readonly running: number; readonly waiting: number } {
    return { running: this.#places.taken, waiting: this.#line.size };
  }

  /**
   * Does `work` at a pace that ends it when the caller leaves, or when it has taken too long.
   * @returns a promise only where the work does
   * @throws RpcError -32005 when too many readings are under way, -32000 when it takes too long
   */
  run<T>(
    caller: Caller,
    work: (pace: Pace) => T | Promise<T>,
    { timeoutMs = this.#limits.timeoutMs, text = TIMEOUT }: Ending = {},
  ): T | Promise<T> {
    let isAdmitted = false;
    const end = performance.now() + timeoutMs;
    const check = () => {
      if (caller.signal.aborted) throw refused(LEFT);
      if (performance.now() > end) throw refused(text);
    };
    const slice = this.#slice;
    const pace: Pace = {
      isDue: () => slice.isDue(),
      giveWay: async () => {
        if (!isAdmitted) {
          await this.#admit(caller, end - performance.now(), text);
          isAdmitted = true;
        }
        check();
        await slice.giveWay("readings", ownerOf(caller));
        check();
      },
    };
    const result = work(pace);
    if (!(result instanceof Promise)) return result;
    return result.finally(() => {
      if (isAdmitted) this.#leave(caller);
    });
  }

  async #admit(caller: Caller, timeMs: number, late: string): Promise<void> {
    const standing = standingOf(caller);
    const lane = laneOf(standing);
    const owner = ownerOf(caller);
    const begin = (): void => {
      this.#places.take(lane);
      this.#taken.set(owner, this.#takenOf(owner) + 1);
    };
    const lost = (why: LostTurn) => (why === "late" ? refused(late) : noPlace(why));
    if (this.#places.isFree(lane) && this.#mayTake(owner)) begin();
    else await this.#line.wait(standing, { timeMs, begin, lost });
  }

  /** The place of one that ended is the next one's. */
  #leave(caller: Caller): void {
    const owner = ownerOf(caller);
    this.#places.give(laneOf(standingOf(caller)));
    const left = this.#takenOf(owner) - 1;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
    const next = (lane: LineLane) => this.#places.isFree(lane) && this.#line.next(lane, this.#mayTake);
    while (next("owner") || next("others"));
  }

  readonly #mayTake = (owner: unknown): boolean => this.#takenOf(owner) < this.#limits.atOnceOfOne;

  #takenOf(owner: unknown): number {
    return this.#taken.get(owner) ?? 0;
  }
}

/** Whose turns and places a reading takes, as `WaitingLine` counts them. */
function ownerOf({ connection, signal }: Caller): unknown {
  return connection ?? signal;
}

function noPlace(why: LostTurn): RpcError {
  if (why === "left") return refused(LEFT);
  const whose = why === "fullOfOne" ? " of this client" : "";
  return limitExceeded(`too many readings of this kind${whose} are under way: try again later`);
}
