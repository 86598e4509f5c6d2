import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const NS_PER_MS = 1e6;
/** Milliseconds between measurements, subtracted to get the delay. */
const RESOLUTION_MS = 20;

/** Measures how late the event loop runs due callbacks. */
export class LoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The longest delay in milliseconds since the last call. */
  take(): number {
    const late = this.#histogram.max / NS_PER_MS - RESOLUTION_MS;
    this.#histogram.reset();
    return Math.max(0, late);
  }

  stop(): void {
    this.#histogram.disable();
  }
}
