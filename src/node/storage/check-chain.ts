import { type ChainCounts, verifyChain } from "../../ledger/chain/import/verify-chain.ts";
import { readNotedLog } from "../../ledger/database/open-database.ts";
import { type LogRepair, repairLog } from "../../ledger/state/store/log/repair-log.ts";
import type { Files } from "../../platform/runtime/files.ts";
import type { Ledger } from "./ledger.ts";

/** Repairs the log of a database's folder; see `repairLog`. The caller holds the folder's lock. */
export async function repairChainLog(files: Files, directory: string): Promise<LogRepair | undefined> {
  return repairLog(files, directory, await readNotedLog("lmdb", directory));
}

/**
 * Checks every block of a ledger against its roots and all indexes.
 * @param onBlock - called with the number of each block before it is checked
 * @throws ChainError `CHAIN_DAMAGED`
 */
export function checkChain({ store, chain }: Ledger, onBlock?: (number: bigint) => void): ChainCounts {
  return verifyChain({ store, chainId: chain.config.chainId, params: chain.params, onBlock });
}
