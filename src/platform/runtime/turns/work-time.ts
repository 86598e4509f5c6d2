/** A sample of processor time costs 3 µs; one this old still bounds what a piece of work has used. */
const FRESH_MS = 2;

/** Clocks of `WorkTime`, in milliseconds. */
export interface WorkClocks {
  readonly elapsed: () => number;
  /** Processor time of the process, all its threads together: at least that of the thread that asks. */
  readonly processor: () => number;
}

const SYSTEM: WorkClocks = {
  elapsed: () => performance.now(),
  processor: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * The time that one piece of work after the other may take on a thread. Time for which a busy machine gave the process no
 * processor does not count: work that is given up for it would only be done twice.
 */
export class WorkTime {
  readonly #clocks: WorkClocks;
  #allowedMs = 0;
  #untilMs = 0;
  #sampledAtMs = Number.NEGATIVE_INFINITY;
  #sampledMs = 0;

  constructor(clocks: WorkClocks = SYSTEM) {
    this.#clocks = clocks;
  }

  /** A piece begins. @returns when, by `elapsed` */
  begin(allowedMs: number): number {
    const now = this.#clocks.elapsed();
    if (now - this.#sampledAtMs > FRESH_MS) {
      this.#sampledAtMs = now;
      this.#sampledMs = this.#clocks.processor();
    }
    this.#allowedMs = allowedMs;
    this.#untilMs = now + allowedMs;
    return now;
  }

  /** Whether the piece has had its time, by the clock and on a processor. */
  isSpent(): boolean {
    if (this.#clocks.elapsed() < this.#untilMs) return false;
    return this.#clocks.processor() - this.#sampledMs >= this.#allowedMs;
  }
}
