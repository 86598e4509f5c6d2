import type { CallCounts } from "../../api/rpc/engine/server-options.ts";
import type { Counter, Metrics, Timer } from "../../platform/telemetry/metrics.ts";

/** Number of error codes that are counted individually. */
const MAX_CODES = 32;

/** Counts calls, and times each method by its name and outcome, as geth does: `rpc/duration/eth_call/success`. */
export function createCallCounts(metrics: Metrics): CallCounts {
  const total = metrics.counter("rpc/counts/total");
  const success = metrics.counter("rpc/counts/success");
  const errors = metrics.counter("rpc/counts/errors");
  const pending = metrics.counter("rpc/counts/pending");
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
      total.add();
      pending.add();
    },
    ended(method, durationMs, code) {
      pending.add(-1);
      (code === undefined ? success : errors).add();
      if (code !== undefined) countCode(code);
      if (method === undefined) return;
      all.update(durationMs);
      timerOf(method, code === undefined ? "success" : "failure").update(durationMs);
    },
    subscribed: metrics.counter("ws/counts/subscription/request"),
    unsubscribed: metrics.counter("ws/counts/unsubscription/request"),
    limited: metrics.counter("rpc/counts/limited"),
    connections: metrics.counter("ws/counts/connections/total"),
  };
}
