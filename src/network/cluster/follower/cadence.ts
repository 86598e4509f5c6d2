/** Number of recent intervals remembered. */
const REMEMBERED = 8;
/** They count as regular if the longest is at most this many times the shortest. */
const REGULAR = 2;
/** The pause while no record is due: this share of the shortest interval, and an upper bound. */
const SELDOM_SHARE = 0.2;
const SELDOM_MOST_MS = 250;
/** The pause once a record is due, and always if records come irregularly: this share of the time since the last one. */
const OFTEN_SHARE = 0.02;
const SHORTEST_MS = 15;

/**
 * How long to wait between two looks at a log. If its records come at regular intervals, it is looked at rarely until the shortest
 * of the last few intervals has passed, then often, and less and less often the later the next record is.
 */
export class Cadence {
  readonly #longestMs: number;
  readonly #intervals: number[] = [];
  #lookedMs: number;
  /** Earliest possible arrival of the newest record: the last look that did not find it yet. */
  #newestMs: number;

  /** @param longestMs - upper bound of every pause */
  constructor(nowMs: number, longestMs: number) {
    this.#lookedMs = nowMs;
    this.#newestMs = nowMs;
    this.#longestMs = longestMs;
  }

  /** Registers a look, and how many records it found. */
  looked(nowMs: number, count: number): void {
    if (count > 0) {
      this.#intervals.push((this.#lookedMs - this.#newestMs) / count);
      if (this.#intervals.length > REMEMBERED) this.#intervals.shift();
      this.#newestMs = this.#lookedMs;
    }
    this.#lookedMs = nowMs;
  }

  /** Milliseconds until the next look. */
  pauseMs(nowMs: number): number {
    const age = nowMs - this.#newestMs;
    const often = Math.max(OFTEN_SHARE * age, SHORTEST_MS);
    return Math.min(Math.max(often, this.#seldomMs(age)), this.#longestMs);
  }

  /** The pause while no record is due; 0 or less if one is. */
  #seldomMs(age: number): number {
    const shortest = Math.min(...this.#intervals);
    const isRegular =
      this.#intervals.length === REMEMBERED && Math.max(...this.#intervals) <= REGULAR * shortest;
    return isRegular ? Math.min(shortest - age, SELDOM_SHARE * shortest, SELDOM_MOST_MS) : 0;
  }
}
