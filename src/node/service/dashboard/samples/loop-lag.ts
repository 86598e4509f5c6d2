import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const NS_PER_MS = 1e6;
/** Milliseconds between measurements; what they are late by themselves is subtracted. */
const RESOLUTION_MS = 20;

/** How late the event loop came to what was due. */
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
