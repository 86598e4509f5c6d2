import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { isObject } from "../../../../protocol/codec/json/value.ts";
import { anchoringToJson } from "../../../../protocol/transaction/anchoring.ts";
import { refused } from "../../engine/errors.ts";
import { byName } from "../../engine/text/list-text.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { Handlers } from "../../spec/method.ts";
import type { kaiaTransactions } from "../../spec/transactions/transactions.ts";
import type { ChainReader } from "../chain/chain-reader.ts";
import type { NamespaceView } from "../chain/views.ts";
import type { TransactionSender } from "./sender.ts";
import { submitRaws } from "./submit.ts";
import { TransactionReader } from "./transactions.ts";

/** Transaction methods that only the chain namespace has. */
export function kaiaTransactionHandlers(deps: {
  readonly reader: ChainReader;
  readonly pool: TransactionPool;
  readonly reads: HeavyReads;
  readonly sender: TransactionSender;
  readonly view: NamespaceView;
}): Handlers<typeof kaiaTransactions> {
  const { pool, sender, view } = deps;
  const finder = new TransactionReader(deps);
  return {
    getTransactionBySenderTxHash({ hash }) {
      const located = finder.find(finder.bySender(hash));
      return located === undefined ? null : view.transaction(located);
    },
    getTransactionReceiptBySenderTxHash: ({ hash }, context) =>
      finder.receipt(finder.bySender(hash), view, context),
    getTransactionReceiptInCache: ({ hash }, context) => finder.receipt(hash, view, context),
    getDecodedAnchoringTransactionByHash({ hash }) {
      const located = finder.find(hash);
      if (located === undefined) throw refused("can't find the transaction");
      if (located.tx.type.effect !== "anchor") throw refused("invalid transaction type");
      // A map in the reference, which writes it in the order of the names; in transactions it is a structure.
      const anchored = anchoringToJson(located.tx.input);
      return isObject(anchored) ? Object.fromEntries(Object.entries(anchored).sort(byName)) : anchored;
    },
    resend: ({ tx, ...changes }) => sender.resend(tx, changes, (args) => sender.unsigned(args)),
    sendRawTransactions: ({ raws }) => submitRaws(pool, raws),
    sendTransaction: ({ tx }) => sender.send(tx),
    signTransaction: ({ tx }) => sender.sign(tx),
    sendTransactionAsFeePayer: ({ tx }) => sender.sendAsFeePayer(tx),
    signTransactionAsFeePayer: ({ tx }) => sender.signAsFeePayer(tx),
  };
}
