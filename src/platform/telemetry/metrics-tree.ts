import type { Metrics, Reading } from "./metrics.ts";
import type { RateSnapshot } from "./moving-rate.ts";

/** The readings as an object nested at the `/` of their names. */
export type MetricsTree = { [part: string]: MetricsTree | number | string };

/** What the reference node shows of gauges. */
const UNKNOWN = "Unknown metric type";

/**
 * The metrics as `debug_metrics` answers them.
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
  if (reading.kind === "gauge") return UNKNOWN;
  if (reading.kind === "counter") return { Overall: reading.value };
  return raw ? rawRates(reading.rate) : ratesAsText(reading.rate);
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

/** A number with at most three digits before the point; two behind it when it was made smaller. */
function short(value: number, digits: number): string {
  const units = ["", "K", "M", "G", "T", "P", "E"];
  let unit = 0;
  let rest = value;
  for (; rest >= 1000 && unit < units.length - 1; unit++) rest /= 1000;
  return `${rest.toFixed(unit > 0 ? 2 : digits)}${units[unit]}`;
}
