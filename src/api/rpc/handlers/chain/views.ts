import type { Chain } from "../../../../ledger/chain/chain.ts";
import { encodeBlock } from "../../../../protocol/block/block-codec.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { placedReceipts } from "../../../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../../../protocol/block/receipt.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { ListedObject } from "../../engine/text/list-text.ts";
import { type BlockSource, type HeaderSource, renderBlock, renderHeader } from "../../render/block.ts";
import { renderEthBlock, renderEthHeader } from "../../render/eth-block.ts";
import { renderEthTransaction } from "../../render/eth-transaction.ts";
import {
  eachLog,
  ethReceiptText,
  type LocatedReceipt,
  receiptText,
  renderEthReceipt,
  renderReceipt,
} from "../../render/receipt.ts";
import { type LocatedTransaction, renderTransaction } from "../../render/transaction.ts";
import type { BlockNumber } from "../../spec/values/block-ref.ts";
import { type LocatedBlock, noBlock } from "./chain-reader.ts";

type Rendered = { [key: string]: Json };

/** The forms in which a namespace shows chain data. */
export interface NamespaceView {
  readonly block: (source: BlockSource) => Rendered;
  readonly header: (source: HeaderSource) => Rendered;
  readonly transaction: (located: LocatedTransaction) => Rendered;
  readonly receipt: (located: LocatedReceipt) => Rendered;
  /** JSON text of `receipt`. */
  readonly receiptText: (located: LocatedReceipt) => string;
  /** Whether a missing block answers null; otherwise it is an error. */
  readonly missingIsNull: boolean;
  /** Whether reading the contents of a missing block is an error too; otherwise the block counts as empty. */
  readonly contentNeedsBlock?: boolean;
}

/** The chain namespace's own forms. */
export const kaiaView: NamespaceView = {
  block: renderBlock,
  header: renderHeader,
  transaction: renderTransaction,
  receipt: renderReceipt,
  receiptText,
  missingIsNull: false,
};

/** The forms expected by Ethereum clients. @param hasTotals - whether headers show the total difficulty */
export function ethView(chain: Chain, hasTotals: boolean): NamespaceView {
  const located = <Source extends HeaderSource>(source: Source) => ({
    ...source,
    author: chain.author(source.header),
    totalDifficulty: hasTotals ? totalDifficulty(chain, source.header) : undefined,
  });
  return {
    block: (source) => renderEthBlock(located(source)),
    header: (source) => renderEthHeader(located(source)),
    transaction: renderEthTransaction,
    receipt: renderEthReceipt,
    receiptText: ethReceiptText,
    missingIsNull: true,
  };
}

/** Every block after genesis has the block score 1, by the header rules. */
function totalDifficulty(chain: Chain, { number }: Header): bigint {
  return (chain.header(0n)?.blockScore ?? 1n) + number;
}

/** A view in the dialect of a release. */
export function withDialect(view: NamespaceView, dialect: Dialect): NamespaceView {
  return {
    ...view,
    receipt: (located) => view.receipt(dialect.receipt(located)),
    receiptText: (located) => view.receiptText(dialect.receipt(located)),
    contentNeedsBlock: dialect.refusesUnknownBlocks && !view.missingIsNull,
  };
}

/** A block whose contents are requested. @throws RpcError -32000 when it is missing and the view refuses that */
export function contentBlock(
  view: NamespaceView,
  located: LocatedBlock | undefined,
  wanted: BlockNumber | Hash,
): LocatedBlock | undefined {
  return located ?? (view.contentNeedsBlock ? noBlock(wanted) : undefined);
}

/**
 * The entries of a block's list of transactions, rendered one by one. @param whole whether full transactions are shown
 * instead of hashes
 */
export function* viewTransactions(
  view: NamespaceView,
  located: LocatedBlock,
  chainId: bigint,
  whole: boolean,
): Generator<Json> {
  for (const [index, tx] of located.block.transactions.entries())
    yield whole ? view.transaction({ tx, chainId, block: located, index }) : bytesToHex(transactionHash(tx));
}

/** A block in a namespace's form, without its transactions. */
export function viewFrame(view: NamespaceView, located: LocatedBlock): Rendered {
  return view.block({ ...located, size: encodeBlock(located.block).length, transactions: [] });
}

/** A block in a namespace's form. @param whole whether full transactions are shown */
export function viewBlock(
  view: NamespaceView,
  located: LocatedBlock,
  chainId: bigint,
  whole: boolean,
): Rendered {
  return { ...viewFrame(view, located), transactions: [...viewTransactions(view, located, chainId, whole)] };
}

/** Logs up to which a receipt is rendered at once. */
const FEW_LOGS = 256;

/** A receipt with many logs, to be rendered log by log; undefined if it has few. */
export function longReceipt(view: NamespaceView, located: LocatedReceipt): ListedObject | undefined {
  const { receipt } = located;
  if (receipt.logs.length <= FEW_LOGS) return undefined;
  const object = view.receipt({ ...located, receipt: { ...receipt, logs: [] } });
  return { object, name: "logs", items: eachLog(located) };
}

/** The receipts of a block with their transactions. */
export function locateReceipts(
  located: LocatedBlock,
  receipts: readonly Receipt[],
  chainId: bigint,
): LocatedReceipt[] {
  const { transactions } = located.block;
  return placedReceipts(receipts).flatMap((placed, index) => {
    const tx = transactions[index];
    return tx === undefined ? [] : { tx, chainId, block: located, index, ...placed };
  });
}
