import { serveMetrics } from "../../service/endpoints/metrics-server.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { budget } from "./budget.ts";
import { health } from "./health.ts";

/** The listener for Prometheus and probes, if configured. */
export const metrics = part({
  name: "metrics",
  needs: { budget, health, instruments },
  async start({ budget, health, instruments }, { options, runtime }) {
    const { metrics } = options;
    const offers = metrics && (await serveMetrics(instruments.metrics, metrics, { budget, health, runtime }));
    return { offers, stop: () => offers?.close() };
  },
});
