import { type ChainCounts, verifyChain } from "../../ledger/chain/import/verify-chain.ts";
import type { Ledger } from "./ledger.ts";

export { repairLog } from "../../ledger/state/store/log/repair-log.ts";

/**
 * Checks every block of a ledger against its roots and all indexes.
 * @param onBlock - called with the number of each block before it is checked
 * @throws ChainError `CHAIN_DAMAGED`
 */
export function checkChain({ store, chain }: Ledger, onBlock?: (number: bigint) => void): ChainCounts {
  return verifyChain({ store, chainId: chain.config.chainId, params: chain.params, onBlock });
}
