import { FairQueue } from "./fair-queue.ts";
import type { Pace } from "./pace.ts";

/** Milliseconds that all cooperative work together may occupy the thread per turn of the event loop. */
const SLICE_MS = 2;
/** Least share of a slice beside others. */
const MIN_SHARE_MS = 0.5;
/** Small pieces of work that a turn may do before it begins a slice. */
const SMALL_BEFORE_SLICE = 16;

/** Number of slices begun in this turn of the event loop, which share its time. */
let begun = 0;
/** Whether the slices that begin in this turn are as short as possible. */
let isShort = false;

/**
 * To be called for each accepted connection: if there is work in slices, those that begin in this turn of the event loop are short. libuv
 * accepts one connection per turn, so that the last of twenty that arrive together would wait for twenty slices.
 */
export function shortenSlices(): void {
  if (begun === 0 || isShort) return;
  isShort = true;
  setImmediate(() => {
    isShort = false;
  });
}

/** Lanes of waiting work: `clients` with many small calls, reads that have just started, and long-running reads. */
export type Lane = "clients" | "newReads" | "reads";

/** Lanes of block execution: `clients` for blocks that become part of the chain, `reads` for previews. */
export type BlockLane = Exclude<Lane, "newReads">;

const LANES: readonly Lane[] = ["clients", "newReads", "reads"];

/**
 * One time slice for all cooperative work: a hundred batches delay others no longer than one does. Work that runs before the node
 * exists, or that only the owner can request, has a slice of its own.
 */
export class TimeSlice implements Pace {
  readonly #waiting: Readonly<Record<Lane, FairQueue<() => void>>> = {
    clients: new FairQueue(),
    newReads: new FairQueue(),
    reads: new FairQueue(),
  };
  /** Index of the lane served last. */
  #served = LANES.length - 1;
  #end = 0;
  #small = 0;

  /**
   * Whether the slice of this turn of the event loop is used up; the first check of a turn starts it.
   * @param now - `performance.now()`, if the caller has just read it
   */
  isDue(now = performance.now()): boolean {
    if (this.#end === 0) this.#begin(now);
    return now > this.#end;
  }

  /**
   * The same for work that usually takes some ten microseconds: beginning a slice takes a third of that, and makes the event loop ask the
   * system twice in a turn. So only every sixteenth of them begins one.
   */
  isDueForSmall(): boolean {
    if (this.#end === 0 && ++this.#small % SMALL_BEFORE_SLICE !== 0) return false;
    return this.isDue();
  }

  /**
   * Resolves once other work had a turn. One waiter resumes per turn of the event loop: round-robin over the lanes, and within a lane
   * over the owners. So a client waits for at most two slices of reads, however many there are, and a read for one slice of each
   * other client, however many reads it has.
   * @param owner - the client that the work is done for; all work without one counts as one owner
   */
  yield(lane: Lane = "reads", owner?: unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting[lane].push(owner, resolve);
      if (this.#end === 0) this.#begin(performance.now());
    });
  }

  #begin(now: number): void {
    begun++;
    this.#end = now + (isShort ? MIN_SHARE_MS : Math.max(MIN_SHARE_MS, SLICE_MS / begun));
    setImmediate(() => {
      begun--;
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
