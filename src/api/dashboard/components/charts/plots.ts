import type { SeriesName } from "../../../rpc/spec/dashboard/wire.ts";

/** A line of a plot: a series, and its label. */
export interface Line {
  readonly series: SeriesName;
  readonly label: string;
}

/** What one plot shows. */
export interface PlotOf {
  readonly title: string;
  /** How values are formatted. */
  readonly unit: "count" | "ms" | "bytes";
  readonly lines: readonly Line[];
}

/** The plots of the metrics. */
export const PLOTS: readonly PlotOf[] = [
  { title: "Height", unit: "count", lines: [{ series: "height", label: "height" }] },
  { title: "Transactions / s", unit: "count", lines: [{ series: "transactions", label: "transactions" }] },
  { title: "Gas / s", unit: "count", lines: [{ series: "gas", label: "gas" }] },
  {
    title: "RPC calls / s",
    unit: "count",
    lines: [
      { series: "calls", label: "calls" },
      { series: "failures", label: "failed" },
    ],
  },
  {
    title: "RPC call time",
    unit: "ms",
    lines: [
      { series: "callP50", label: "median" },
      { series: "callP95", label: "95 %" },
      { series: "callP99", label: "99 %" },
    ],
  },
  {
    title: "Memory",
    unit: "bytes",
    lines: [
      { series: "heap", label: "heap" },
      { series: "resident", label: "resident" },
    ],
  },
  { title: "Longest event loop delay", unit: "ms", lines: [{ series: "loopDelay", label: "delay" }] },
  {
    title: "Pool",
    unit: "count",
    lines: [
      { series: "pending", label: "pending" },
      { series: "queued", label: "queued" },
    ],
  },
  {
    title: "Database rows / s",
    unit: "count",
    lines: [
      { series: "reads", label: "read" },
      { series: "writes", label: "written" },
    ],
  },
  {
    title: "Cache lookups / s",
    unit: "count",
    lines: [
      { series: "hits", label: "hits" },
      { series: "misses", label: "misses" },
    ],
  },
  { title: "Peers", unit: "count", lines: [{ series: "peers", label: "peers" }] },
];
