import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import type { SyncProgress } from "../../../../network/sync/synchroniser.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { stringify } from "../../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { refused } from "../../engine/errors.ts";
import type { subscriptions } from "../../spec/logs/filters.ts";
import type { SubscriptionHandlers } from "../../spec/method.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import type { NamespaceView } from "../chain/views.ts";
import { isCatchingUp, type SyncStatus } from "../fees/fees.ts";
import { checkLiveRange } from "./log-reader.ts";
import type { LogWatch } from "./log-watch.ts";

/** What subscriptions need. */
export interface SubscriptionDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly sync: SyncStatus;
  readonly watch: LogWatch;
  /** Whether full pending transactions are served. */
  readonly sharesPending: boolean;
}

/** The start of a synchronisation, with the members of a Go structure. @see reference node v2.2.1, `eth_subscribe` */
function startOf({ startingBlock, currentBlock, highestBlock }: SyncProgress): WireObject {
  const status = {
    StartingBlock: Number(startingBlock),
    CurrentBlock: Number(currentBlock),
    HighestBlock: Number(highestBlock),
    PulledStates: 0,
    KnownStates: 0,
  };
  return { syncing: true, status };
}

/** Events in the form of one namespace. */
export function subscriptionHandlers(
  { chain, pool, sync, watch, sharesPending }: SubscriptionDeps,
  view: NamespaceView,
): SubscriptionHandlers<typeof subscriptions> {
  const headers = new WeakMap<Header, JsonText>();

  /** A header is rendered once for all subscribers. */
  function show(header: Header): JsonText {
    let text = headers.get(header);
    if (text === undefined) {
      text = new JsonText(stringify(view.header({ header, rules: chain.rulesAt(header.number) })));
      headers.set(header, text);
    }
    return text;
  }

  return {
    newHeads: (_args, emit) =>
      chain.onHead(({ added }) => {
        for (const { block } of added) emit(show(block.header));
      }),
    logs({ filter }, emit, lose) {
      checkLiveRange(filter);
      const emitAll = (logs: readonly WireObject[]) => {
        for (const log of logs) emit(log);
      };
      return watch.add(filter, emitAll, lose);
    },
    newPendingTransactions({ whole }, emit) {
      // The reference offers full transactions in its auction namespace only, and responds with this text.
      if (whole === true && !sharesPending) throw refused("subscription not found");
      const { chainId } = chain.config;
      const shownPending = (tx: Transaction) =>
        whole === true ? view.transaction({ tx, chainId, index: 0 }) : bytesToHex(transactionHash(tx));
      return pool.onPending((transactions) => {
        for (const tx of transactions) emit(shownPending(tx));
      });
    },
    syncing(_args, emit) {
      let isSyncing = isCatchingUp(sync.progress());
      return sync.onChange((progress) => {
        const wasSyncing = isSyncing;
        isSyncing = isCatchingUp(progress);
        if (isCatchingUp(progress)) emit(startOf(progress));
        else if (wasSyncing) emit(false);
      });
    },
  };
}
