import { LruMap } from "../../primitives/lru.ts";
import { transactionKey } from "../hash.ts";
import type { Transaction } from "../transaction.ts";
import type { Signers } from "../value.ts";
import type { SenderRecovery } from "./recovery.ts";
import { keepSigners, knownSigners } from "./signers.ts";

/** Transactions whose signers are cached: a few full blocks, about 8 MiB. */
const REMEMBERED = 16_384;

/**
 * Recovery that caches the signers of the latest transactions by their hash, which covers every signature. A transaction arrives
 * from several peers, in a proposal and in a block, as a new object each time, and is recovered only once.
 * @param most - maximum cached transactions; the least recently used is evicted first
 */
export function rememberSigners(
  recovery: SenderRecovery,
  chainId: bigint,
  most: number = REMEMBERED,
): SenderRecovery {
  const remembered = new LruMap<string, Signers>(most);
  const isKnown = (tx: Transaction): boolean => {
    if (knownSigners(tx, chainId) !== undefined) return true;
    const signers = remembered.get(transactionKey(tx));
    if (signers !== undefined) keepSigners(tx, chainId, signers);
    return signers !== undefined;
  };
  return {
    async recover(transactions, signal) {
      const unknown = transactions.filter((tx) => !isKnown(tx));
      if (unknown.length === 0) return;
      await recovery.recover(unknown, signal);
      for (const tx of unknown) {
        const signers = knownSigners(tx, chainId);
        if (signers !== undefined) remembered.set(transactionKey(tx), signers);
      }
    },
  };
}
