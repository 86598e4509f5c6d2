/** Time that may be spent at once, and the share of all time by which it is replenished. */
const MAX_MS = 3000;
const SHARE = 0.2;

/** Limits work that is merely nice to have to a share of the time. */
export class TimeAllowance {
  readonly #now: () => number;
  #leftMs = MAX_MS;
  #seen: number;

  /** @param now - milliseconds of a clock that only goes forward */
  constructor(now: () => number) {
    this.#now = now;
    this.#seen = now();
  }

  get isLeft(): boolean {
    const now = this.#now();
    this.#leftMs = Math.min(MAX_MS, this.#leftMs + SHARE * (now - this.#seen));
    this.#seen = now;
    return this.#leftMs > 0;
  }

  /** Starts measuring. @returns the function to call at the end */
  begin(): () => void {
    const begun = this.#now();
    return () => {
      this.#leftMs -= this.#now() - begun;
    };
  }
}
