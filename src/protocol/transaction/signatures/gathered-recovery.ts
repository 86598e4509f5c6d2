import type { Transaction } from "../transaction.ts";
import type { SenderRecovery } from "./recovery.ts";
import { knownSigners } from "./signers.ts";

/**
 * Recovery for transactions that arrive one at a time from many clients: all that arrive in one turn of the event loop are recovered
 * as a batch, at little more than half the cost of one by one. Lists are recovered immediately, as are
 * those whose caller may abort, since a batch belongs to many; transactions already recovered do not wait.
 * @param endOfTurn - calls back at the end of the turn, once all received data is read
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
      if (single === undefined || more.length > 0 || signal !== undefined)
        return recovery.recover(transactions, signal);
      if (knownSigners(single, chainId) !== undefined) return Promise.resolve();
      gathered.push(single);
      recovered ??= new Promise<void>((resolve) => endOfTurn(resolve)).then(recoverGathered);
      return recovered;
    },
  };
}
