import type { RpcBudget } from "../../api/rpc/services/budget.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";

/** Statuses of refused requests and connections; 408 stands for those closed because they came too slowly. */
const STATUSES = [400, 401, 403, 404, 405, 408, 413, 415, 417, 431, 503] as const;

/** Exposes what the clients of all listeners use, and how many were refused or cut off. */
export function watchClients(metrics: Metrics, budget: RpcBudget): void {
  const { connections, unsent, calls, subscriptions, filters, bodies, refusals } = budget;
  const { collected, filterBytes, webSockets } = budget;
  metrics.gauge("rpc/connections/open", () => connections.used);
  metrics.total("rpc/connections/rejected", () => connections.refused);
  metrics.total("rpc/clients/cut", () => unsent.cut);
  metrics.gauge("rpc/unsent/bytes", () => unsent.total);
  metrics.gauge("rpc/bodies/bytes", () => bodies.used);
  metrics.total("rpc/bodies/rejected", () => bodies.refused);
  metrics.gauge("rpc/calls/waiting", () => calls.used);
  metrics.total("rpc/calls/rejected", () => calls.refused);
  metrics.total("rpc/websockets/rejected", () => webSockets.refused);
  metrics.gauge("rpc/subscriptions/running", () => subscriptions.used);
  metrics.total("rpc/subscriptions/rejected", () => subscriptions.refused);
  metrics.gauge("rpc/filters/open", () => filters.used);
  metrics.total("rpc/filters/rejected", () => filters.refused);
  metrics.total("rpc/filterbytes/rejected", () => filterBytes.refused);
  metrics.total("rpc/collected/rejected", () => collected.refused);
  for (const status of STATUSES) metrics.total(`http/refused/${status}`, () => refusals.of(status));
}
