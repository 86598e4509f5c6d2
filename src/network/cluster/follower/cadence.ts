/** Intervals that are remembered. */
const REMEMBERED = 8;
/** They are regular if the longest is so many times the shortest at most. */
const REGULAR = 2;
/** The pause while no record is due: this share of the shortest interval, and its bound. */
const SELDOM_SHARE = 0.2;
const SELDOM_MOST_MS = 250;
/** The pause afterwards, and always where records come irregularly: this share of the time since the last one. */
const OFTEN_SHARE = 0.02;
const SHORTEST_MS = 15;

/**
 * How long to wait between two looks at a log. Where its records come at regular intervals, it is looked at seldom until the shortest
 * of the last few has passed, then often, and less and less often the later the next record is.
 */
export class Cadence {
  readonly #longestMs: number;
  readonly #intervals: number[] = [];
  #lookedMs: number;
  /** When the newest record came at the earliest: the last look that did not find it yet. */
  #newestMs: number;

  /** @param longestMs - most that is waited for */
  constructor(nowMs: number, longestMs: number) {
    this.#lookedMs = nowMs;
    this.#newestMs = nowMs;
    this.#longestMs = longestMs;
  }

  /** Notes a look, and how many records it has found. */
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

  /** The pause while no record is due; no more than 0 where one is. */
  #seldomMs(age: number): number {
    const shortest = Math.min(...this.#intervals);
    const isRegular =
      this.#intervals.length === REMEMBERED && Math.max(...this.#intervals) <= REGULAR * shortest;
    return isRegular ? Math.min(shortest - age, SELDOM_SHARE * shortest, SELDOM_MOST_MS) : 0;
  }
}
