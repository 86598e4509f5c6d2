import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { LocatedReceipt } from "../../render/receipt.ts";
import type { LocatedTransaction } from "../../render/transaction.ts";
import type { LocatedBlock } from "../chain/chain-reader.ts";
import { type NamespaceView, viewFrame } from "../chain/views.ts";

type Shown = { [member: string]: Json };

/** Chain data as Otterscan expects it: the forms of `eth_`, plus members that save further calls. */
export interface ExplorerView {
  readonly transaction: (located: LocatedTransaction) => Shown;
  /** With the timestamp of the block. */
  readonly receipt: (located: LocatedReceipt) => Shown;
  /** Without transactions and bloom, but with the number of transactions. */
  readonly block: (located: LocatedBlock) => Shown;
}

/** @param view - of `eth_` */
export function explorerView(view: NamespaceView): ExplorerView {
  return {
    transaction: (located) => view.transaction(located),
    receipt: (located) => ({
      ...view.receipt(located),
      timestamp: `0x${located.block.header.time.toString(16)}`,
    }),
    block(located) {
      const { transactions: _, ...frame } = viewFrame(view, located);
      return { ...frame, logsBloom: null, transactionCount: located.block.transactions.length };
    },
  };
}
