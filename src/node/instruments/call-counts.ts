import type { CallCounts } from "../../api/rpc/engine/server-options.ts";
import type { Counter, Metrics, Timer } from "../../platform/telemetry/metrics.ts";

/** Number of error codes that are counted individually. */
const MAX_CODES = 32;

/** Counts calls, and times each method by its name and outcome, as geth does: `rpc/duration/eth_call/success`. */
export function createCallCounts(metrics: Metrics): CallCounts {
  const counts = { begun: 0, succeeded: 0, failed: 0 };
  metrics.total("rpc/counts/total", () => counts.begun);
  metrics.total("rpc/counts/success", () => counts.succeeded);
  metrics.total("rpc/counts/errors", () => counts.failed);
  metrics.total("rpc/counts/pending", () => counts.begun - counts.succeeded - counts.failed);
  const all = metrics.timer("rpc/duration/all");
  /** By method; created at the first call, for existing methods only. */
  const timers = { success: new Map<string, Timer>(), failure: new Map<string, Timer>() };
  const timerOf = (method: string, outcome: "success" | "failure"): Timer => {
    let timer = timers[outcome].get(method);
    if (timer === undefined) {
      timer = metrics.timer(`rpc/duration/${method}/${outcome}`);
      timers[outcome].set(method, timer);
    }
    return timer;
  };
  /** By code; a contract, or another chain's node, may return any. */
  const codes = new Map<number, Counter>();
  const countCode = (code: number): void => {
    const counter =
      codes.get(code) ?? metrics.counter(`rpc/errors/${codes.size < MAX_CODES ? code : "other"}`);
    if (codes.size < MAX_CODES) codes.set(code, counter);
    counter.add();
  };
  return {
    begun() {
      counts.begun++;
    },
    ended(method, durationMs, code) {
      if (code === undefined) counts.succeeded++;
      else {
        counts.failed++;
        countCode(code);
      }
      if (method === undefined) return;
      all.update(durationMs);
      timerOf(method, code === undefined ? "success" : "failure").update(durationMs);
    },
    refused: countCode,
    subscribed: metrics.counter("ws/counts/subscription/request"),
    unsubscribed: metrics.counter("ws/counts/unsubscription/request"),
    limited: metrics.counter("rpc/counts/limited"),
    connections: metrics.counter("ws/counts/connections/total"),
  };
}
