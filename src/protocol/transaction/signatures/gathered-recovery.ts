import type { Transaction } from "../transaction.ts";
import type { SenderRecovery } from "./recovery.ts";
import { knownSigners } from "./signers.ts";

/**
 * Recovery for transactions that come one at a time from many clients: all that come in one turn of the event loop are recovered
 * together, for little more than half of what one after the other costs. Lists are recovered at once, as they are, and what was
 * recovered before waits for nothing.
 * @param endOfTurn - calls back once what has arrived is read
 */
export function gatherSingles(
  recovery: SenderRecovery,
  chainId: bigint,
  endOfTurn: (callback: () => void) => void,
): SenderRecovery {
  let gathered: Transaction[] = [];
  let recovered: Promise<void> | undefined;
  const recoverGathered = (): Promise<void> => {
    const together = gathered;
    gathered = [];
    recovered = undefined;
    return recovery.recover(together);
  };
  return {
    recover(transactions, signal) {
      const [single, ...more] = transactions;
      if (single === undefined || more.length > 0) return recovery.recover(transactions, signal);
      if (knownSigners(single, chainId) !== undefined) return Promise.resolve();
      gathered.push(single);
      recovered ??= new Promise<void>((resolve) => endOfTurn(resolve)).then(recoverGathered);
      return recovered;
    },
  };
}
