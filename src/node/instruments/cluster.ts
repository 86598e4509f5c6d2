import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { ClusterStatus } from "../cluster/cluster.ts";

/** Exposes a node's role beside its change log, and the lag between the two. */
export function watchCluster(metrics: Metrics, status: () => ClusterStatus): void {
  metrics.gauge("cluster/writer", () => (status().role === "writer" ? 1 : 0));
  metrics.gauge("cluster/epoch", () => Number(status().epoch));
  metrics.gauge("cluster/log/height", () => Number(status().logHeight));
  metrics.gauge("cluster/lag/blocks", () => status().lag);
  metrics.gauge("cluster/failing", () => (status().failure === undefined ? 0 : 1));
  metrics.gauge("cluster/looked/age", () => status().polledMs ?? 0);
  metrics.gauge("cluster/lease/left", () => status().leaseLeftMs ?? 0);
  metrics.total("cluster/records/refused", () => status().refused);
  metrics.total("cluster/records/appended", () => status().appended.records);
  metrics.total("cluster/bytes/appended", () => status().appended.bytes);
}
