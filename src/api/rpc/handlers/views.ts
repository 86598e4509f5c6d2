import type { Chain } from "../../../ledger/chain/chain.ts";
import { encodeBlock } from "../../../protocol/block/block-codec.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { Dialect } from "../dialect.ts";
import { type BlockSource, type HeaderSource, renderBlock, renderHeader } from "../render/block.ts";
import { renderEthBlock, renderEthHeader } from "../render/eth-block.ts";
import { renderEthTransaction } from "../render/eth-transaction.ts";
import { type LocatedReceipt, renderEthReceipt, renderReceipt } from "../render/receipt.ts";
import { type LocatedTransaction, renderTransaction } from "../render/transaction.ts";
import type { LocatedBlock } from "./chain-reader.ts";

type Rendered = { [key: string]: Json };

/** How a namespace shows what is in the chain. */
export interface View {
  readonly block: (source: BlockSource) => Rendered;
  readonly header: (source: HeaderSource) => Rendered;
  readonly transaction: (located: LocatedTransaction) => Rendered;
  readonly receipt: (located: LocatedReceipt) => Rendered;
  /** Whether a missing block answers null; otherwise it is an error. */
  readonly missingIsNull: boolean;
}

/** The chain namespace's own forms. */
export const kaiaView: View = {
  block: renderBlock,
  header: renderHeader,
  transaction: renderTransaction,
  receipt: renderReceipt,
  missingIsNull: false,
};

/** The forms that Ethereum clients expect. */
export function ethView(chain: Chain): View {
  return {
    block: (source) => renderEthBlock({ ...source, author: chain.author(source.header) }),
    header: (source) => renderEthHeader({ ...source, author: chain.author(source.header) }),
    transaction: renderEthTransaction,
    receipt: renderEthReceipt,
    missingIsNull: true,
  };
}

/** A view as a release of the reference shows it. */
export function spoken(view: View, dialect: Dialect): View {
  return { ...view, receipt: (located) => view.receipt(dialect.receipt(located)) };
}

/** A block in a namespace's form. @param whole whether transactions are shown whole */
export function viewBlock(view: View, located: LocatedBlock, chainId: bigint, whole: boolean): Rendered {
  const { block } = located;
  const transactions = block.transactions.map((tx, index) =>
    whole ? view.transaction({ tx, chainId, block: located, index }) : bytesToHex(transactionHash(tx)),
  );
  return view.block({ ...located, size: encodeBlock(block).length, transactions });
}

/** What the receipts of a block came to, each with those before it. */
interface RunningTotals {
  /** Logs before each receipt. */
  readonly logs: readonly number[];
  /** Gas up to and with each receipt. */
  readonly gas: readonly bigint[];
}

/** Totals by the receipts of a block, which are asked for one by one while the block is kept in memory. */
const totals = new WeakMap<readonly Receipt[], RunningTotals>();

function totalsOf(receipts: readonly Receipt[]): RunningTotals {
  const known = totals.get(receipts);
  if (known !== undefined) return known;
  const sums = { logs: [] as number[], gas: [] as bigint[] };
  let logCount = 0;
  let gasUsed = 0n;
  for (const receipt of receipts) {
    sums.logs.push(logCount);
    logCount += receipt.logs.length;
    gasUsed += receipt.gasUsed;
    sums.gas.push(gasUsed);
  }
  totals.set(receipts, sums);
  return sums;
}

/** One receipt of a block with its transaction; undefined when the block has not so many. */
export function locateReceipt(
  located: LocatedBlock,
  receipts: readonly Receipt[],
  chainId: bigint,
  index: number,
): LocatedReceipt | undefined {
  const tx = located.block.transactions[index];
  const receipt = receipts[index];
  if (tx === undefined || receipt === undefined) return undefined;
  const { logs, gas } = totalsOf(receipts);
  const firstLogIndex = logs[index] as number;
  const cumulativeGasUsed = gas[index] as bigint;
  return { tx, chainId, block: located, index, receipt, firstLogIndex, cumulativeGasUsed };
}

/** The receipts of a block with their transactions. */
export function locateReceipts(
  located: LocatedBlock,
  receipts: readonly Receipt[],
  chainId: bigint,
): LocatedReceipt[] {
  return receipts.flatMap((_, index) => locateReceipt(located, receipts, chainId, index) ?? []);
}
