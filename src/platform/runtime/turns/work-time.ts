/** Maximum age of a sample of processor time: taking one costs 3 µs, and a slightly old one is still an upper bound on the time used. */
const FRESH_MS = 2;

/** Clocks of `WorkTime`, in milliseconds. */
export interface WorkClocks {
  readonly elapsed: () => number;
  /** Processor time of the whole process: at least that of the calling thread. */
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
 * A time limit for successive pieces of work on a thread. Time for which the process was not scheduled on a busy machine does not
 * count: work abandoned for it would only have to be repeated.
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

  /** Starts a piece of work. @returns the time by `elapsed` */
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

  /** Whether the piece has used up its time, in both elapsed and processor time. */
  isSpent(): boolean {
    if (this.#clocks.elapsed() < this.#untilMs) return false;
    return this.#clocks.processor() - this.#sampledMs >= this.#allowedMs;
  }
}
