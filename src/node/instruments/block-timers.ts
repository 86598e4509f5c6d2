import type { BlockTimers } from "../../ledger/chain/execute/block-processor.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";

/** Times the phases of blocks, and keeps the outcome of building the last one. */
export function createBlockTimers(metrics: Metrics): BlockTimers {
  const last = { taken: 0, tried: 0, low: 0, high: 0, baseFee: 0, blobs: 0 };
  metrics.gauge("miner/tcount", () => last.taken);
  metrics.gauge("miner/checkedtxs", () => last.tried);
  metrics.gauge("miner/nonce/low/txs", () => last.low);
  metrics.gauge("miner/nonce/high/txs", () => last.high);
  metrics.gauge("miner/block/mining/basefee", () => last.baseFee);
  metrics.gauge("miner/block/mining/blobs", () => last.blobs);
  const timeLimit = metrics.counter("miner/timelimitreached");
  const usedAll = metrics.counter("miner/usedalltxs");
  const strange = metrics.counter("miner/strangeerror/txs");
  return {
    process: metrics.timer("chain/process"),
    validate: metrics.timer("chain/validate"),
    finalize: metrics.timer("chain/finalize"),
    hash: metrics.timer("state/hashes"),
    build: metrics.timer("miner/block/mining/time"),
    execute: metrics.timer("miner/block/execute/time"),
    finalizeOwn: metrics.timer("miner/block/finalize/time"),
    onBuilt({ transactions, rejected, outOfTime }, { baseFee = 0n }) {
      const refused = (code: string) => rejected.filter(({ reason }) => reason.code === code).length;
      last.taken = transactions.length;
      last.tried = transactions.length + rejected.length;
      last.low = refused("NONCE_TOO_LOW");
      last.high = refused("NONCE_TOO_HIGH");
      last.baseFee = Number(baseFee);
      last.blobs = transactions.reduce((sum, tx) => sum + (tx.blobVersionedHashes?.length ?? 0), 0);
      strange.add(rejected.length - last.low - last.high);
      (outOfTime ? timeLimit : usedAll).add();
    },
  };
}
