import type { Metrics, Reading } from "./metrics.ts";

const SHARES = [0.5, 0.75, 0.95, 0.99, 0.999] as const;

/** Content type of the text format. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * The metrics in the text format of Prometheus. `chain/inserts` becomes `klaytn_chain_inserts`; timers are summaries in
 * milliseconds.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats
 */
export function prometheusText(metrics: Metrics, namespace = "klaytn"): string {
  let text = "";
  for (const [name, reading] of metrics.readings()) {
    text += lines(`${namespace}_${name.replace(/[^a-zA-Z0-9]/g, "_")}`, reading);
  }
  return text;
}

function lines(name: string, reading: Reading): string {
  switch (reading.kind) {
    case "gauge":
      return `# TYPE ${name} gauge\n${name} ${reading.value}\n`;
    case "counter":
      return `# TYPE ${name} gauge\n${name} ${reading.value}\n`;
    case "histogram": // as the reference exports its own: the newest value
      return `# TYPE ${name} gauge\n${name} ${reading.newest}\n`;
    case "meter":
      return `# TYPE ${name} counter\n${name} ${reading.rate.total}\n`;
    case "timer": {
      const { durations } = reading;
      const quantiles = SHARES.map(
        (share) => `${name}{quantile="${share}"} ${durations.percentile(share)}\n`,
      );
      const totals = `${name}_sum ${durations.sum}\n${name}_count ${durations.count}\n`;
      return `# TYPE ${name} summary\n${quantiles.join("")}${totals}`;
    }
  }
}
