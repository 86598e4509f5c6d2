import type { Chain } from "../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { refused } from "../errors.ts";
import type { SubscriptionHandlers } from "../method.ts";
import type { subscriptions } from "../spec/filters.ts";
import { logsOfHead } from "./events.ts";
import { type SyncStatus, syncingResult } from "./fees.ts";
import { checkLiveRange } from "./log-reader.ts";
import type { View } from "./views.ts";

/** What subscriptions need. */
export interface SubscriptionDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly sync: SyncStatus;
}

/** Events in the form of one namespace. */
export function subscriptionHandlers(
  { chain, pool, sync }: SubscriptionDeps,
  view: View,
): SubscriptionHandlers<typeof subscriptions> {
  return {
    newHeads: (_args, emit) =>
      chain.onHead(({ added }) => {
        for (const { block } of added)
          emit(view.header({ header: block.header, rules: chain.rulesAt(block.header.number) }));
      }),
    logs({ filter }, emit) {
      checkLiveRange(filter);
      return chain.onHead((event) => {
        for (const log of logsOfHead(chain, event, filter)) emit(log);
      });
    },
    newPendingTransactions({ whole }, emit) {
      // The reference offers whole transactions in its auction namespace only, and says it this way.
      if (whole === true) throw refused("subscription not found");
      return pool.onPending((transactions) => {
        for (const tx of transactions) emit(transactionHash(tx));
      });
    },
    syncing: (_args, emit) => sync.onChange((progress) => emit(syncingResult(progress))),
  };
}
