/** Number of recent intervals remembered. */
const REMEMBERED = 8;
/** Intervals count as regular if the longest is at most this many times the shortest. */
const REGULARITY = 2;
/** The delay while no record is due: this share of the shortest interval, and its maximum. */
const SLOW_SHARE = 0.2;
const SLOW_MAX_MS = 250;
/** The delay once a record is due, and always for irregular records: this share of the time since the last one. */
const FAST_SHARE = 0.02;
const MIN_DELAY_MS = 15;

/**
 * An adaptive polling schedule. If records arrive at regular intervals, the log is polled slowly until the shortest of the last few
 * intervals has passed, then fast, and ever more slowly the later the next record is.
 */
export class PollingSchedule {
  readonly #maxMs: number;
  readonly #intervals: number[] = [];
  #polledMs: number;
  /** Earliest possible arrival of the newest record: the last poll that did not find it yet. */
  #newestMs: number;

  /** @param maxMs - maximum delay */
  constructor(nowMs: number, maxMs: number) {
    this.#polledMs = nowMs;
    this.#newestMs = nowMs;
    this.#maxMs = maxMs;
  }

  /** Registers a poll, and the number of records found. */
  polled(nowMs: number, count: number): void {
    if (count > 0) {
      this.#intervals.push((this.#polledMs - this.#newestMs) / count);
      if (this.#intervals.length > REMEMBERED) this.#intervals.shift();
      this.#newestMs = this.#polledMs;
    }
    this.#polledMs = nowMs;
  }

  /** Milliseconds until the next poll. */
  pauseMs(nowMs: number): number {
    const age = nowMs - this.#newestMs;
    const often = Math.max(FAST_SHARE * age, MIN_DELAY_MS);
    return Math.min(Math.max(often, this.#slowMs(age)), this.#maxMs);
  }

  /** The delay while no record is due; 0 or less if one is. */
  #slowMs(age: number): number {
    const shortest = Math.min(...this.#intervals);
    const isRegular =
      this.#intervals.length === REMEMBERED && Math.max(...this.#intervals) <= REGULARITY * shortest;
    return isRegular ? Math.min(shortest - age, SLOW_SHARE * shortest, SLOW_MAX_MS) : 0;
  }
}
