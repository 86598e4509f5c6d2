import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "../platform/telemetry/prometheus.ts";

/** Where metrics are served. */
export interface MetricsListener {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/** A running metrics server. */
export interface MetricsServer {
  /** `http://127.0.0.1:61001/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves metrics to Prometheus under `/metrics`.
 * @throws Error of `node:net` when the address is taken
 */
export async function serveMetrics(
  metrics: Metrics,
  { host = "127.0.0.1", port }: MetricsListener,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": PROMETHEUS_CONTENT_TYPE }).end(prometheusText(metrics));
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${chosen}/metrics`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
