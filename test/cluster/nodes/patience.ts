/** So long something may stand still, on a machine that does other things too. */
const STILL_MS = 90_000;
/** So long it may take in all. */
const MAX_MS = 600_000;

/** For how long something is waited for: as long as it moves, within bounds. */
export class Patience {
  readonly #progress: () => unknown;
  readonly #end = Date.now() + MAX_MS;
  #stillMs = Date.now() + STILL_MS;
  #last: unknown;

  /** @param progress - what changes while it moves; asked each time that it is looked whether patience is over */
  constructor(progress: () => unknown) {
    this.#progress = progress;
    this.#last = progress();
  }

  get isOver(): boolean {
    const now = Date.now();
    const progress = this.#progress();
    if (progress !== this.#last) this.#stillMs = now + STILL_MS;
    this.#last = progress;
    return now > Math.min(this.#stillMs, this.#end);
  }
}
