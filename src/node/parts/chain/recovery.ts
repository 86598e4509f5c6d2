import { createRecoveryPool, type RecoveryPool } from "../../workers/recovery-pool.ts";
import { part } from "../part.ts";

/** Recovers the senders of transactions on other cores, once the chain id is known. */
export const recovery = part({
  name: "recovery",
  needs: {},
  start() {
    const pools: RecoveryPool[] = [];
    const offers = (chainId: bigint): RecoveryPool => {
      const pool = createRecoveryPool(chainId);
      pools.push(pool);
      return pool;
    };
    const stop = async (): Promise<void> => {
      for (const pool of pools) await pool.close();
    };
    return { offers, stop };
  },
});
