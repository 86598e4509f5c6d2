/** Maximum time without progress, on a busy machine. */
const STILL_MS = 90_000;
/** Maximum time in total. */
const MAX_MS = 600_000;

/** A deadline that is extended while there is progress, within limits. */
export class ProgressDeadline {
  readonly #progress: () => unknown;
  readonly #end = Date.now() + MAX_MS;
  #stillMs = Date.now() + STILL_MS;
  #last: unknown;

  /** @param progress - a value that changes with progress; read on each check */
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
