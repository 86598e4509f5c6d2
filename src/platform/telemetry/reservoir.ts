/** Values kept for percentiles. */
const SIZE = 1_028;

/** Upper bounds of the buckets, in milliseconds. */
export const BUCKETS_MS: readonly number[] = [
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500],
  ...[1_000, 2_500, 5_000, 10_000],
];

/** Distribution of values. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  /** Cumulative counts of all values, by `BUCKETS_MS`. */
  readonly buckets: readonly number[];
  readonly minimum: number;
  readonly maximum: number;
  /** Mean of the last 1028 values; `deviation` is their standard deviation. */
  readonly mean: number;
  readonly deviation: number;
  /** The value below which a share 0…1 of the last 1028 values lies; 0 without values. */
  percentile(share: number): number;
}

/** A ring buffer of the last values with their percentiles. */
export class Reservoir {
  readonly #values: number[] = [];
  #count = 0;
  #sum = 0;
  /** Non-cumulative counts per bucket. */
  readonly #buckets = new Array<number>(BUCKETS_MS.length).fill(0);

  /** Number of values so far. */
  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    let bucket = 0;
    while (value > (BUCKETS_MS[bucket] as number)) bucket++;
    if (bucket < BUCKETS_MS.length) this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
    this.#values[this.#count % SIZE] = value;
    this.#count++;
    this.#sum += value;
  }

  snapshot(): Distribution {
    const sorted = this.#values.toSorted((a, b) => a - b);
    return {
      count: this.#count,
      sum: this.#sum,
      buckets: cumulative(this.#buckets),
      minimum: sorted[0] ?? 0,
      maximum: sorted.at(-1) ?? 0,
      ...spreadOf(sorted),
      percentile: (share) => interpolated(sorted, share * (sorted.length + 1) - 1),
    };
  }
}

function cumulative(counts: readonly number[]): number[] {
  let total = 0;
  return counts.map((count) => {
    total += count;
    return total;
  });
}

/** Mean and standard deviation; 0 without values. */
function spreadOf(values: readonly number[]): Pick<Distribution, "mean" | "deviation"> {
  const count = Math.max(1, values.length);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / count) };
}

/** The value at a fractional index. */
function interpolated(sorted: readonly number[], place: number): number {
  const below = sorted[Math.floor(place)] ?? sorted[0] ?? 0;
  const above = sorted[Math.floor(place) + 1] ?? sorted.at(-1) ?? 0;
  return place < 0 ? below : below + (above - below) * (place - Math.floor(place));
}
