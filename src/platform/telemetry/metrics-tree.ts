import type { Metrics, Reading } from "./metrics.ts";
import type { RateSnapshot } from "./moving-rate.ts";
import type { Distribution } from "./reservoir.ts";

/** The readings as an object nested at the `/` of their names. */
export type MetricsTree = { [part: string]: MetricsTree | number | string };

/** Shown for gauges, as by the reference node. */
const UNKNOWN = "Unknown metric type";

/**
 * The metrics as `debug_metrics` returns them.
 * @param raw - numbers instead of texts such as `596 (9.93/s)`
 */
export function metricsTree(metrics: Metrics, raw: boolean): MetricsTree {
  const root: MetricsTree = {};
  for (const [name, reading] of metrics.readings()) {
    const path = name.split("/");
    const last = path.pop() as string;
    const parent = path.reduce(child, root);
    const shown = show(reading, raw);
    parent[last] = typeof shown === "string" ? shown : { ...shown, ...(parent[last] as MetricsTree) };
  }
  return root;
}

function child(tree: MetricsTree, part: string): MetricsTree {
  const found = tree[part];
  if (typeof found === "object") return found;
  const made: MetricsTree = {};
  tree[part] = made;
  return made;
}

function show(reading: Reading, raw: boolean): MetricsTree | string {
  if (reading.kind === "gauge" || reading.kind === "histogram") return UNKNOWN;
  if (reading.kind === "counter") return { Overall: reading.value };
  const rates = raw ? rawRates(reading.rate) : ratesAsText(reading.rate);
  if (reading.kind === "meter") return rates;
  return { ...rates, ...(raw ? rawSpread(reading.durations) : spreadAsText(reading.durations)) };
}

/** Percentiles shown of durations. */
const PERCENTILES = [5, 20, 50, 80, 95];
const NANOSECONDS = 1e6;

/** In nanoseconds. */
function rawSpread({ mean, deviation, percentile }: Distribution): MetricsTree {
  return {
    Mean: mean * NANOSECONDS,
    StdDev: deviation * NANOSECONDS,
    Percentiles: percentiles((share) => percentile(share) * NANOSECONDS),
  };
}

function spreadAsText({ minimum, maximum, percentile }: Distribution): MetricsTree {
  return {
    Maximum: durationText(maximum),
    Minimum: durationText(minimum),
    Percentiles: percentiles((share) => durationText(percentile(share))),
  };
}

function percentiles<T extends number | string>(at: (share: number) => T): { [percent: string]: T } {
  return Object.fromEntries(PERCENTILES.map((percent) => [percent, at(percent / 100)]));
}

/** A duration as Go writes it, such as `1.5ms`, `250µs` or `1m2.5s`, to the nanosecond. */
function durationText(ms: number): string {
  const nanoseconds = Math.round(ms * NANOSECONDS);
  if (nanoseconds < 1_000) return nanoseconds === 0 ? "0s" : `${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${nanoseconds / 1e3}µs`;
  if (nanoseconds < 1e9) return `${nanoseconds / 1e6}ms`;
  const minutes = Math.floor(nanoseconds / 60e9);
  const seconds = `${(nanoseconds - minutes * 60e9) / 1e9}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}

function rawRates({ rates, mean, total }: RateSnapshot): MetricsTree {
  const [AvgRate01Min, AvgRate05Min, AvgRate15Min] = rates;
  return { AvgRate01Min, AvgRate05Min, AvgRate15Min, MeanRate: mean, Overall: total };
}

function ratesAsText({ rates: [one, five, fifteen], mean, total }: RateSnapshot): MetricsTree {
  return {
    Avg01Min: withRate(one * 60, one),
    Avg05Min: withRate(five * 300, five),
    Avg15Min: withRate(fifteen * 900, fifteen),
    Overall: withRate(total, mean),
  };
}

function withRate(total: number, perSecond: number): string {
  return `${short(total, 0)} (${short(perSecond, 2)}/s)`;
}

/** A number with an SI prefix: at most three digits before the point, and two after it if it was scaled. */
function short(value: number, digits: number): string {
  const units = ["", "K", "M", "G", "T", "P", "E"];
  let unit = 0;
  let rest = value;
  for (; rest >= 1000 && unit < units.length - 1; unit++) rest /= 1000;
  return `${rest.toFixed(unit > 0 ? 2 : digits)}${units[unit]}`;
}
