import { MovingRate, type RateSnapshot } from "./moving-rate.ts";
import { type Distribution, Reservoir } from "./reservoir.ts";

/** A number that goes up and down. */
export interface Counter {
  add(count?: number): void;
}

/** A number of events and its rate. */
export interface Meter {
  mark(count?: number): void;
}

/** Count and duration of something. */
export interface Timer {
  /** @param durationMs - may have a fraction */
  update(durationMs: number): void;
  /** Runs an action and times it, also when it throws. */
  time<T>(action: () => T): T;
}

/** Values counted by size. */
export interface Histogram {
  observe(value: number): void;
}

/** A snapshot of a metric. */
export type Reading =
  | { readonly kind: "counter"; readonly value: number }
  | { readonly kind: "gauge"; readonly value: number }
  | { readonly kind: "meter"; readonly rate: RateSnapshot }
  | {
      readonly kind: "histogram";
      /** Upper bounds, and the cumulative count for each. */
      readonly bounds: readonly number[];
      readonly buckets: readonly number[];
      readonly count: number;
      readonly sum: number;
      readonly newest: number;
    }
  | { readonly kind: "timer"; readonly rate: RateSnapshot; readonly durations: Distribution };

/** Clocks of a registry, both in milliseconds. */
export interface MetricClocks {
  readonly now: () => number;
  /** Monotonic, with fractions; for durations. */
  readonly elapsed: () => number;
}

/**
 * The metrics of a node by name, such as `chain/inserts`. Metrics that the reference node also has bear its names.
 * Callers get a handle; the same name returns the same handle.
 */
export class Metrics {
  readonly #clocks: MetricClocks;
  readonly #metrics = new Map<string, { readonly read: () => Reading }>();
  readonly #polled: (() => void)[] = [];

  constructor(clocks: MetricClocks) {
    this.#clocks = clocks;
  }

  counter(name: string): Counter {
    return this.#once(name, () => {
      let value = 0;
      return {
        add(count = 1) {
          value += count;
        },
        read: (): Reading => ({ kind: "counter", value }),
      };
    });
  }

  /** A value read on demand; replaces a gauge of the same name. */
  gauge(name: string, value: () => number): void {
    this.#metrics.set(name, { read: () => ({ kind: "gauge", value: value() }) });
  }

  /** A total counted elsewhere, read on demand. */
  total(name: string, value: () => number): void {
    this.#metrics.set(name, { read: () => ({ kind: "counter", value: value() }) });
  }

  /** The same with its rate, for totals counted on hot paths, where reading the clock would be too expensive; see `poll`. */
  rateOf(name: string, total: () => number): void {
    const { now } = this.#clocks;
    const rate = new MovingRate(now());
    let marked = 0;
    const catchUp = (): void => {
      const fresh = total() - marked;
      marked += fresh;
      rate.mark(fresh, now());
    };
    this.#polled.push(catchUp);
    const read = (): Reading => {
      catchUp();
      return { kind: "meter", rate: rate.snapshot(now()) };
    };
    this.#metrics.set(name, { read });
  }

  /** Updates the rates of `rateOf` and of timers; to be called every five seconds. */
  poll(): void {
    for (const catchUp of this.#polled) catchUp();
  }

  meter(name: string): Meter {
    const { now } = this.#clocks;
    return this.#once(name, () => {
      const rate = new MovingRate(now());
      return {
        mark: (count = 1) => rate.mark(count, now()),
        read: (): Reading => ({ kind: "meter", rate: rate.snapshot(now()) }),
      };
    });
  }

  timer(name: string): Timer {
    const { now, elapsed } = this.#clocks;
    return this.#once(name, () => {
      const rate = new MovingRate(now());
      const durations = new Reservoir();
      let marked = 0;
      // Reading the clock at each update would double its cost.
      const catchUp = (): void => {
        rate.mark(durations.count - marked, now());
        marked = durations.count;
      };
      this.#polled.push(catchUp);
      const update = (durationMs: number): void => durations.add(durationMs);
      return {
        update,
        time<T>(action: () => T): T {
          const start = elapsed();
          try {
            return action();
          } finally {
            update(elapsed() - start);
          }
        },
        read(): Reading {
          catchUp();
          return { kind: "timer", rate: rate.snapshot(now()), durations: durations.snapshot() };
        },
      };
    });
  }

  /** @param bounds - upper bounds by which values are counted, ascending */
  histogram(name: string, bounds: readonly number[]): Histogram {
    return this.#once(name, () => {
      const within = bounds.map(() => 0);
      let [count, sum, newest] = [0, 0, 0];
      return {
        observe(value: number): void {
          const at = bounds.findIndex((bound) => value <= bound);
          if (at >= 0) within[at] = (within[at] as number) + 1;
          count++;
          sum += value;
          newest = value;
        },
        read: (): Reading => {
          let below = 0;
          const buckets = within.map((one) => (below += one));
          return { kind: "histogram", bounds, buckets, count, sum, newest };
        },
      };
    });
  }

  /** The value of a gauge or counter; 0 if there is none. */
  value(name: string): number {
    const reading = this.read(name);
    return reading?.kind === "gauge" || reading?.kind === "counter" ? reading.value : 0;
  }

  /** A reading of one metric; undefined if there is none. */
  read(name: string): Reading | undefined {
    return this.#metrics.get(name)?.read();
  }

  /** Every metric by its name, sorted. */
  *readings(): Iterable<[string, Reading]> {
    const names = [...this.#metrics.keys()].sort();
    for (const name of names) yield [name, (this.#metrics.get(name) as { read: () => Reading }).read()];
  }

  #once<M extends { readonly read: () => Reading }>(name: string, create: () => M): M {
    const known = this.#metrics.get(name) as M | undefined;
    if (known !== undefined) return known;
    const metric = create();
    this.#metrics.set(name, metric);
    return metric;
  }
}
