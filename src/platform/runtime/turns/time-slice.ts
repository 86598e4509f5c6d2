import { FairQueue } from "./fair-queue.ts";
import type { Pace } from "./pace.ts";

/** Milliseconds that all cooperative work together may hold the thread before others get a turn. */
const SLICE_MS = 5;

/** Lanes waiting for a turn: `clients` with many small calls, reads that have just begun, and long-running reads. */
export type Lane = "clients" | "beginnings" | "readings";

/** Lanes of blocks: those that become part of the chain, and previews. */
export type BlockLane = Exclude<Lane, "beginnings">;

const LANES: readonly Lane[] = ["clients", "beginnings", "readings"];

/**
 * One slice of time for everything that gives way: a hundred batches hold others no longer than one does. Work whose node
 * is not there yet, or which the owner alone can ask for, has one of its own.
 */
export class TimeSlice implements Pace {
  readonly #waiting: Readonly<Record<Lane, FairQueue<() => void>>> = {
    clients: new FairQueue(),
    beginnings: new FairQueue(),
    readings: new FairQueue(),
  };
  /** Index of the lane that had the last turn. */
  #served = LANES.length - 1;
  #end = 0;

  /**
   * Whether the slice of this turn of the event loop is used up; the first query of a turn starts it.
   * @param now - by `performance.now`, for who has just read it
   */
  isDue(now = performance.now()): boolean {
    if (this.#end === 0) this.#begin(now);
    return now > this.#end;
  }

  /**
   * Resolves once others had their turn: one in each turn of the event loop, the lanes one after the other, and within a lane
   * in turns of the owners. So a client waits for two slices of readings, however many there are, and a reading for one
   * of each other client, however many these have.
   * @param owner - the client that the work is done for; work without one is all of one owner
   */
  giveWay(lane: Lane = "readings", owner?: unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[lane].push(owner, resolve);
      if (this.#end === 0) this.#begin(performance.now());
    });
  }

  #begin(now: number): void {
    this.#end = now + SLICE_MS;
    setImmediate(() => {
      this.#end = 0;
      const next = this.#next();
      if (next === undefined) return;
      this.#begin(performance.now());
      next();
    });
  }

  #next(): (() => void) | undefined {
    for (let step = 1; step <= LANES.length; step++) {
      const index = (this.#served + step) % LANES.length;
      const next = this.#waiting[LANES[index] as Lane].shift();
      if (next === undefined) continue;
      this.#served = index;
      return next;
    }
    return undefined;
  }
}
