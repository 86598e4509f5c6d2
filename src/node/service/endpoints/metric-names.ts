/** Under which names metrics are served. */
export type MetricNames = "all" | "kairn" | "klaytn";

/** Served where nothing else is asked for. */
export const DEFAULT_METRIC_NAMES: MetricNames = "all";
