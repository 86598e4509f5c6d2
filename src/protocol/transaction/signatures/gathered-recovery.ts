import type { Transaction } from "../transaction.ts";
import type { SenderRecovery } from "./recovery.ts";

/**
 * Recovery for transactions that come one at a time from many clients: all that come in one turn of the event loop are recovered
 * together, for little more than half of what one after the other costs. Lists are recovered at once, as they are.
 * @param endOfTurn - calls back once what has arrived is read
 */
export function gatherSingles(
  recovery: SenderRecovery,
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
      if (transactions.length !== 1) return recovery.recover(transactions, signal);
      gathered.push(...transactions);
      recovered ??= new Promise<void>((resolve) => endOfTurn(resolve)).then(recoverGathered);
      return recovered;
    },
  };
}
