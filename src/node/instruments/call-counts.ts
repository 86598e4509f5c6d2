import type { CallCounts } from "../../api/rpc/engine/server-options.ts";
import type { Metrics, Timer } from "../../platform/telemetry/metrics.ts";

/**
 * Counts calls, and times each method by its name and outcome, as geth does: `rpc/duration/eth_call/success`.
 * @param elapsed - milliseconds with fractions, monotonic
 */
export function createCallCounts(metrics: Metrics, elapsed: () => number): CallCounts {
  const total = metrics.counter("rpc/counts/total");
  const success = metrics.counter("rpc/counts/success");
  const errors = metrics.counter("rpc/counts/errors");
  const pending = metrics.counter("rpc/counts/pending");
  const all = metrics.timer("rpc/duration/all");
  /** By method; made at the first call, of methods that there are. */
  const timers = { success: new Map<string, Timer>(), failure: new Map<string, Timer>() };
  const timerOf = (method: string, outcome: "success" | "failure"): Timer => {
    let timer = timers[outcome].get(method);
    if (timer === undefined) {
      timer = metrics.timer(`rpc/duration/${method}/${outcome}`);
      timers[outcome].set(method, timer);
    }
    return timer;
  };
  return {
    begin(method) {
      total.add();
      pending.add();
      const started = elapsed();
      return (isGood) => {
        pending.add(-1);
        (isGood ? success : errors).add();
        if (method === undefined) return;
        const duration = elapsed() - started;
        all.update(duration);
        timerOf(method, isGood ? "success" : "failure").update(duration);
      };
    },
    subscribed: metrics.counter("ws/counts/subscription/request"),
    unsubscribed: metrics.counter("ws/counts/unsubscription/request"),
    limited: metrics.counter("rpc/counts/limited"),
    connections: metrics.counter("ws/counts/connections/total"),
  };
}
