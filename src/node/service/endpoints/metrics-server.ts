import type { ConnectionBudget } from "../../../platform/http/budget.ts";
import { listenHttp } from "../../../platform/http/listener.ts";
import { answerProbe, PROBES, type ReadinessCheck } from "../../../platform/http/routes/probes.ts";
import { type PathRoute, serveRoutes } from "../../../platform/http/routes/routes.ts";
import type { Reply } from "../../../platform/http/service.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Metrics } from "../../../platform/telemetry/metrics.ts";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "../../../platform/telemetry/prometheus.ts";
import { ownNamesText } from "../../instruments/own-names.ts";
import { DEFAULT_METRIC_NAMES, type MetricNames } from "./metric-names.ts";
import { ThrottledValue } from "./throttled-value.ts";

/** Where metrics are served. */
export interface MetricsListener {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Host names that requests may be addressed to, besides IP addresses; `*` = all. Default `localhost`. */
  readonly virtualHosts?: readonly string[];
  /** `kairn_…` in base units, `klaytn_…` as the reference names them, or both, the default. */
  readonly names?: MetricNames;
}

/** A running metrics server. */
export interface MetricsServer {
  /** `http://127.0.0.1:61001/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/** What the listener shares with the node. */
export interface MetricsParts {
  readonly budget: ConnectionBudget;
  readonly health: ReadinessCheck;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
}

/**
 * Serves metrics to Prometheus under `/metrics`, and the node's probes.
 * @throws Error of `node:net` when the address is taken
 */
export async function serveMetrics(
  metrics: Metrics,
  { host = "127.0.0.1", port, virtualHosts = ["localhost"], names = DEFAULT_METRIC_NAMES }: MetricsListener,
  { budget, health, runtime }: MetricsParts,
): Promise<MetricsServer> {
  const text = new ThrottledValue(() => textOf(metrics, names), runtime);
  const handle: PathRoute["handle"] = ({ client }) => {
    const rendered = text.get();
    if (typeof rendered === "string") return replyOf(rendered);
    // Every connection may be waiting for it: yield between their replies.
    return rendered.then(async (text) => {
      await budget.slice.yield("clients", client);
      return replyOf(text);
    });
  };
  const probes = PROBES.map(
    (path): PathRoute => ({
      method: "GET",
      path,
      handle: ({ head }) => answerProbe(pathOf(head.target), health) as Reply,
    }),
  );
  const service = serveRoutes([{ method: "GET", path: "/metrics", handle }, ...probes], {
    ...{ hosts: virtualHosts, maxBody: 0, slice: budget.slice },
  });
  const listener = await listenHttp(service, { host, port, budget });
  return { url: `http://${listener.address}/metrics`, close: () => listener.close() };
}

function replyOf(body: string): Reply {
  return { status: 200, headers: `Content-Type: ${PROMETHEUS_CONTENT_TYPE}\r\n`, body };
}

function textOf(metrics: Metrics, names: MetricNames): string {
  const own = names === "klaytn" ? "" : ownNamesText(metrics);
  return names === "kairn" ? own : own + prometheusText(metrics);
}

/** The part of a target that names the probe; proxies send a whole URL. */
function pathOf(target: string): string {
  const { pathname, search } = new URL(target, "http://localhost");
  return pathname + search;
}
