import type { ListTally } from "../../ledger/txpool/content/tally.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";

/** Exposes a pool, which keeps its own counts; they are read only on demand. */
export function watchPool(metrics: Metrics, pool: ChainTransactionPool): void {
  const { tally } = pool;
  metrics.gauge("tx/pool/pending/gauge", () => pool.status().pending);
  metrics.gauge("tx/pool/queue/gauge", () => pool.status().queued);
  metrics.gauge("txpool/slots", () => pool.slots);
  metrics.total("txpool/invalid", () => tally.invalid);
  metrics.total("txpool/refuse", () => tally.refused);
  metrics.total("txpool/underpriced", () => tally.underpriced);
  watchList(metrics, "txpool/pending", tally.pending);
  watchList(metrics, "txpool/queued", tally.queued);
}

function watchList(metrics: Metrics, name: string, tally: ListTally): void {
  metrics.total(`${name}/replace`, () => tally.replaced);
  metrics.total(`${name}/discard`, () => tally.discarded);
  metrics.total(`${name}/ratelimit`, () => tally.limited);
  metrics.total(`${name}/nofunds`, () => tally.unpayable);
}
