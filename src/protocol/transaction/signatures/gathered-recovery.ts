import type { Transaction } from "../transaction.ts";
import type { SenderRecovery } from "./recovery.ts";
import { knownSigners } from "./signers.ts";

/** So many in a turn come from many clients, more of which may send in the next one: they wait for it. */
const WORTH_WAITING = 4;
/** A batch waits at most this many turns; each lasts some hundred microseconds while transactions arrive. */
const MOST_TURNS = 8;

/**
 * Recovery for transactions that arrive one at a time from many clients: all that arrive in one turn of the event loop are recovered
 * as a batch, at little more than half the cost of one by one. The fixed cost of a batch is that of five signers, so it waits for further
 * turns as long as each brings more. Lists are recovered immediately, as are
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
  /** Waits for the end of a turn in which no more have arrived. */
  const arrived = async (): Promise<void> => {
    let known = 0;
    for (let turns = 0; gathered.length > known && turns < MOST_TURNS; turns++) {
      known = gathered.length;
      await new Promise<void>((resolve) => endOfTurn(resolve));
      if (gathered.length < WORTH_WAITING) return;
    }
  };
  const recoverGathered = (): Promise<void> => {
    const together = gathered;
    gathered = [];
    recovered = undefined;
    return recovery.recover(together);
  };
  return {
    recover(transactions, signal) {
      const single = transactions[0];
      if (single === undefined || transactions.length > 1 || signal !== undefined)
        return recovery.recover(transactions, signal);
      if (knownSigners(single, chainId) !== undefined) return Promise.resolve();
      gathered.push(single);
      recovered ??= arrived().then(recoverGathered);
      return recovered;
    },
  };
}
