import type { CallTimes } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Metrics, Reading } from "../../../../platform/telemetry/metrics.ts";

/** As `call-counts.ts` names them. */
const TIMER = /^rpc\/duration\/([a-zA-Z0-9]+_[a-zA-Z0-9]+)\/(success|failure)$/;
type Timed = Extract<Reading, { kind: "timer" }>;

/** The methods that were called, the busiest first; as many as there are methods at most. */
export function callTimes(metrics: Pick<Metrics, "readings">): CallTimes[] {
  const found = new Map<string, { success?: Timed; failure?: Timed }>();
  for (const [name, reading] of metrics.readings()) {
    const [, method, outcome] = TIMER.exec(name) ?? [];
    if (method === undefined || outcome === undefined || reading.kind !== "timer") continue;
    found.set(method, { ...found.get(method), [outcome]: reading });
  }
  return [...found]
    .map(([method, { success, failure }]) => {
      const [good, bad] = [success?.rate.total ?? 0, failure?.rate.total ?? 0];
      // of successful calls; of failed ones if there is nothing else
      const { durations } = (success ?? failure) as Timed;
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => durations.percentile(share));
      return { method, calls: good + bad, failures: bad, p50, p95, p99 } as CallTimes;
    })
    .sort((a, b) => b.calls - a.calls);
}
