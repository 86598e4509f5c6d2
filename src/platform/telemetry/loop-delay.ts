import type { IntervalHistogram } from "node:perf_hooks";
import { writeNew } from "./dump-folder.ts";

const PERCENTILES = [50, 90, 99, 99.9];

/**
 * Samples the event-loop delay: the counterpart of Go's blocking profile.
 */
export class LoopDelay {
  #histogram: IntervalHistogram | undefined;

  /** Switches sampling, once a millisecond, on or off. The samples stay until sampling is switched on again. */
  sample(on: boolean): void {
    this.#histogram?.disable();
    if (!on) return;
    this.#histogram = process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: 1 });
    this.#histogram.enable();
  }

  /** Writes the samples, in nanoseconds, as JSON to a new file. @throws the file system's error */
  async write(file: string): Promise<void> {
    const { count = 0, min = 0, max = 0, mean = 0 } = this.#histogram ?? {};
    const percentiles = PERCENTILES.map((share) => [String(share), this.#histogram?.percentile(share) ?? 0]);
    const shown =
      count === 0 ? { count } : { count, min, mean, max, percentiles: Object.fromEntries(percentiles) };
    await writeNew(file, JSON.stringify({ eventLoopDelay: { unit: "ns", ...shown } }));
  }
}
