import type { Counter, Metrics } from "../../platform/telemetry/metrics.ts";
import type { GroupKind } from "./topics.ts";

/** Metrics of the stream; those that the reference has bear its names. */
export interface StreamMeters {
  /** A block was acknowledged by the broker. @param durationMs - from its first message to its last acknowledgement */
  published(number: bigint, durationMs: number): void;
  sent(kind: GroupKind, durationMs: number, bytes: number): void;
  /** An attempt failed. @param attempt - consecutive failures of the same operation; 0 after a success */
  retried(kind: GroupKind, attempt: number): void;
  /** Traces of transactions that failed. */
  readonly traceFailures: Counter;
  /** Registers values that are read on demand. */
  watch(values: {
    readonly checkpoint: () => bigint;
    /** Blocks of the chain that are not published. */
    readonly lag: () => bigint;
    readonly rangeLeft: () => bigint;
    readonly bytes: () => number;
  }): void;
}

/** Creates the metrics of a stream. */
export function createStreamMeters(metrics: Metrics): StreamMeters {
  const last: Record<string, number> = {};
  const gauge = (name: string) => {
    const place = `chaindatafetcher/${name}/gauge`;
    last[place] = 0;
    metrics.gauge(place, () => last[place] as number);
    return (value: number) => {
      last[place] = value;
    };
  };
  const time = { block: gauge("insertion/time/blockgroup"), trace: gauge("insertion/time/tracegroup") };
  const retries = { block: gauge("insertion/retry/blockgroup"), trace: gauge("insertion/retry/tracegroup") };
  const total = gauge("insertion/time/total");
  const handled = gauge("handle/blocknumber");
  const blocks = metrics.counter("chaindatafetcher/blocks");
  const failures = metrics.counter("chaindatafetcher/failures");
  const messages = {
    block: metrics.counter("chaindatafetcher/messages/blockgroup"),
    trace: metrics.counter("chaindatafetcher/messages/tracegroup"),
  };
  const bytes = metrics.counter("chaindatafetcher/bytes");
  return {
    traceFailures: metrics.counter("chaindatafetcher/trace/error"),
    published(number, durationMs) {
      handled(Number(number));
      total(Math.round(durationMs));
      blocks.add();
    },
    sent(kind, durationMs, size) {
      time[kind](Math.round(durationMs));
      messages[kind].add();
      bytes.add(size);
    },
    retried(kind, attempt) {
      retries[kind](attempt);
      if (attempt > 0) failures.add();
    },
    watch({ checkpoint, lag, rangeLeft, bytes: waiting }) {
      metrics.gauge("chaindatafetcher/checkpoint/gauge", () => Number(checkpoint()));
      metrics.gauge("chaindatafetcher/chainevent/gauge", () => Number(lag()));
      metrics.gauge("chaindatafetcher/requests/gauge", () => Number(rangeLeft()));
      metrics.gauge("chaindatafetcher/waiting/bytes", waiting);
    },
  };
}
