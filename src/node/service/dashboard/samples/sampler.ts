import { type Sample, SERIES, type SeriesName } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { Cancel, Runtime } from "../../../../platform/runtime/runtime.ts";
import type { Metrics } from "../../../../platform/telemetry/metrics.ts";

const SECOND_MS = 1_000;
/** Samples that are kept: one hour. */
const MAX_SAMPLES = 3_600;

/** The values measured. */
export interface SamplerParts {
  readonly chain: Pick<Chain, "head" | "onHead">;
  readonly metrics: Pick<Metrics, "read">;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  /** Waiting transactions. */
  readonly pool: () => { readonly pending: number; readonly queued: number };
  readonly peers: () => number;
  /** Totals since the start. */
  readonly database: () => { readonly reads: number; readonly writes: number };
  /** Look-ups of caches since the start. */
  readonly caches: () => { readonly hits: number; readonly misses: number };
  /** Longest delay of a callback since the last query, in milliseconds. */
  readonly loopDelay: () => number;
}

type Values = Record<SeriesName, number>;
/** Series given as totals and kept as the increase per second. */
const TOTALS = ["calls", "failures", "reads", "writes", "hits", "misses"] as const;

/** Samples a node every second, and keeps the last hour in memory (about half a megabyte). */
export class Sampler {
  readonly #parts: SamplerParts;
  readonly #listeners = new Set<(sample: Sample) => void>();
  #samples: Sample[] = [];
  #before: Pick<Values, (typeof TOTALS)[number]> | undefined;
  #transactions = 0;
  #gas = 0;
  #cancel: Cancel = () => {};
  readonly #leave: () => void;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.#leave = parts.chain.onHead(({ added }) => {
      for (const { block } of added) {
        this.#transactions += block.transactions.length;
        this.#gas += Number(block.header.gasUsed);
      }
    });
    this.#later();
  }

  /** Oldest first. */
  get samples(): readonly Sample[] {
    return this.#samples.slice(-MAX_SAMPLES);
  }

  /** @returns the function that ends it */
  onSample(listener: (sample: Sample) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#cancel();
    this.#leave();
  }

  #later(): void {
    this.#cancel = this.#parts.runtime.timers.schedule(SECOND_MS, () => {
      this.#take();
      this.#later();
    });
  }

  #take(): void {
    const values = this.#measure();
    const sample = {
      at: this.#parts.runtime.clock.now(),
      values: SERIES.map((name) => rounded(values[name])),
    };
    this.#samples.push(sample);
    // cut in large steps, so that most seconds copy nothing
    if (this.#samples.length >= 2 * MAX_SAMPLES) this.#samples = this.#samples.slice(-MAX_SAMPLES);
    for (const listener of this.#listeners) listener(sample);
  }

  #measure(): Values {
    const { chain, metrics, pool, peers, database, caches, loopDelay } = this.#parts;
    const memory = process.memoryUsage();
    const duration = metrics.read("rpc/duration/all");
    const at = (share: number) => (duration?.kind === "timer" ? duration.durations.percentile(share) : 0);
    const now = {
      calls: this.#total("success") + this.#total("errors"),
      failures: this.#total("errors"),
      ...database(),
      ...caches(),
    };
    const before = this.#before ?? now;
    this.#before = now;
    const [transactions, gas] = [this.#transactions, this.#gas];
    this.#transactions = 0;
    this.#gas = 0;
    return {
      ...{ height: Number(chain.head.header.number), transactions, gas },
      ...{ calls: now.calls - before.calls, failures: now.failures - before.failures },
      ...{ callP50: at(0.5), callP95: at(0.95), callP99: at(0.99) },
      ...{ heap: memory.heapUsed, resident: memory.rss, loopDelay: loopDelay() },
      ...pool(),
      peers: peers(),
      ...{ reads: now.reads - before.reads, writes: now.writes - before.writes },
      ...{ hits: now.hits - before.hits, misses: now.misses - before.misses },
    };
  }

  #total(name: "success" | "errors"): number {
    const reading = this.#parts.metrics.read(`rpc/counts/${name}`);
    return reading?.kind === "counter" ? reading.value : 0;
  }
}

/** Three places after the point are enough for a plot. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1000) / 1000;
}
