import type { Reading } from "./metrics.ts";
import { BUCKETS_MS } from "./reservoir.ts";

/** A labelled reading. */
export interface FamilySample {
  readonly labels: Readonly<Record<string, string>>;
  readonly reading: Reading;
}

/** The header of a metric family. */
export interface FamilyHead {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
}

const SECONDS = 1e-3;

/**
 * A metric family in the text format of Prometheus; empty without samples. Histograms of durations are in seconds.
 * @param scale - of plain numbers
 */
export function familyText(
  { name, help, type }: FamilyHead,
  samples: readonly FamilySample[],
  scale = 1,
): string {
  if (samples.length === 0) return "";
  const lines = samples.map((sample) =>
    type === "histogram"
      ? histogramText(name, sample)
      : `${name}${labelText(sample.labels)} ${numberOf(sample.reading) * scale}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function histogramText(name: string, { labels, reading }: FamilySample): string {
  const counted = bucketsOf(reading);
  if (counted === undefined) return "";
  const { bounds, buckets, sum, count } = counted;
  const lines = [...bounds.map(String), "+Inf"].map(
    (le, i) => `${name}_bucket${labelText({ ...labels, le })} ${buckets[i] ?? count}\n`,
  );
  const plain = labelText(labels);
  return `${lines.join("")}${name}_sum${plain} ${sum}\n${name}_count${plain} ${count}\n`;
}

/** The buckets of a histogram; durations in seconds. */
function bucketsOf(
  reading: Reading,
): Omit<Extract<Reading, { kind: "histogram" }>, "kind" | "newest"> | undefined {
  if (reading.kind === "histogram") return reading;
  if (reading.kind !== "timer") return undefined;
  const { buckets, count, sum } = reading.durations;
  return { bounds: BUCKETS_MS.map((ms) => ms / 1000), buckets, count, sum: sum * SECONDS };
}

function numberOf(reading: Reading): number {
  if (reading.kind === "timer") return reading.durations.count;
  if (reading.kind === "histogram") return reading.count;
  return reading.kind === "meter" ? reading.rate.total : reading.value;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${value.replace(/[\\"\n]/g, "_")}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
