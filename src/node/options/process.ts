import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";
import { DEFAULT_METRIC_NAMES } from "../service/endpoints/metric-names.ts";
import { nodeOption, opener, withoutEffect } from "./member.ts";

/** Logs and metrics. */
export const processOptions = {
  verbosity: option({
    flag: "verbosity",
    env: ["VERBOSITY"],
    type: t.integer(0, 5),
    default: 3,
    doc: "Log level: 0 crit, 1 error, 2 warn, 3 info, 4 debug, 5 trace.",
  }),
  logFormat: option({
    flag: "log.format",
    env: ["LOG_FORMAT"],
    type: t.oneOf("text", "json"),
    default: "text",
    doc: "Format of log lines.",
  }),
  metrics: withoutEffect({
    flag: "metrics",
    env: ["METRICS"],
    type: t.boolean,
    default: false,
    doc: "Without effect: metrics are always collected; --prometheus serves them. Kept for scripts.",
  }),
  prometheus: opener({
    opens: "metrics",
    flag: "prometheus",
    env: ["PROMETHEUS"],
    type: t.boolean,
    default: false,
    doc: "Serves metrics to Prometheus under /metrics.",
  }),
  prometheusPort: nodeOption({
    member: "metrics.port",
    flag: "prometheusport",
    env: ["PROMETHEUS_PORT"],
    type: t.port,
    default: 61001,
    doc: "Port of the metrics on 127.0.0.1; 0 picks a free one.",
  }),
  prometheusNames: nodeOption({
    member: "metrics.names",
    flag: "prometheus.names",
    type: t.oneOf("all", "kairn", "klaytn"),
    default: DEFAULT_METRIC_NAMES,
    doc: "Names of the metrics: kairn_ in base units, klaytn_ as the reference node has them, or both.",
  }),
} as const;
