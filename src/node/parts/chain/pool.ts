import { join } from "node:path";
import { DEFAULT_POOL_OPTIONS } from "../../../ledger/txpool/options.ts";
import { createTransactionPool } from "../../../ledger/txpool/pool-service.ts";
import { gatherSingles } from "../../../protocol/transaction/signatures/gathered-recovery.ts";
import type { NodeOptions } from "../../node-options.ts";
import { poolRulesOf } from "../../service/endpoints/dialect.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { blobs } from "./blobs.ts";
import { gasless } from "./gasless.ts";
import { ledger } from "./ledger.ts";

/** The transaction pool, with the transactions of the journal. */
export const pool = part({
  name: "pool",
  needs: { blobs, gasless, instruments, ledger },
  async start({ blobs, gasless, instruments, ledger }, { options, runtime, logger }) {
    const { chainId } = ledger.chain.config;
    const endOfTurn = (callback: () => void) => void runtime.timers.schedule(0, callback);
    const service = createTransactionPool({
      blobs,
      chain: ledger.chain,
      recovery: gatherSingles(ledger.recovery, chainId, endOfTurn),
      lending: gasless.lends ? gasless : undefined,
      runtime,
      logger: logger.child("txpool"),
      options: { ...poolRulesOf(options), ...options.pool, journal: journalPath(options) },
    });
    try {
      await service.start();
    } catch (error) {
      await service.stop().catch(() => undefined); // the first error says more
      throw error;
    }
    ledger.extensions.sidecars.takeFrom((hash) => service.pool.get(hash)?.sidecar);
    instruments.watch(ledger, service.pool);
    return { offers: service.pool, stop: () => service.stop() };
  },
});

function journalPath({ pool, dataDir }: NodeOptions): string {
  const name = pool?.journal ?? DEFAULT_POOL_OPTIONS.journal;
  return dataDir === undefined || name === "" ? "" : join(dataDir, name);
}
