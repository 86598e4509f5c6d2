import { blobBaseFee } from "../../../protocol/block/blob-gas.ts";
import type { PlacedReceipt } from "../../../protocol/block/placed-receipt.ts";
import type { Log, Receipt } from "../../../protocol/block/receipt.ts";
import { STATUS_SUCCESS } from "../../../protocol/block/status.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex, hexQuantity } from "../../../protocol/primitives/hex.ts";
import { blobGas } from "../../../protocol/transaction/gas.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { TransactionType } from "../../../protocol/transaction/types.ts";
import { type Column, columnsText, renderColumns, sorted } from "./columns.ts";
import { ethRecipient, ethTypeNumber } from "./eth-transaction.ts";
import {
  type InclusionContext,
  type LocatedTransaction,
  locatedColumns,
  paidGasPrice,
  senderOf,
} from "./transaction.ts";

/** A receipt with its transaction and their block. */
export interface LocatedReceipt extends LocatedTransaction, PlacedReceipt {
  readonly block: InclusionContext;
}

/** The location of a log. */
export interface LogPlace {
  readonly blockHash: string;
  readonly blockNumber: bigint;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
  /** Whether its block was removed from the chain. */
  readonly removed: boolean;
}

/** A log as both namespaces show it. */
export function renderLog(log: Log, place: LogPlace): { [key: string]: Json } {
  return {
    address: bytesToHex(log.address),
    topics: log.topics.map(bytesToHex),
    data: bytesToHex(log.data),
    blockNumber: hexQuantity(place.blockNumber),
    transactionHash: place.transactionHash,
    transactionIndex: hexQuantity(place.transactionIndex),
    blockHash: place.blockHash,
    logIndex: hexQuantity(place.logIndex),
    removed: place.removed,
  };
}

/** The logs of a receipt. @param removed whether the block was removed from the chain */
export function renderLogs(located: LocatedReceipt, removed = false): { [key: string]: Json }[] {
  return [...eachLog(located, removed)];
}

/** As `renderLogs`, one by one. */
export function* eachLog(located: LocatedReceipt, removed = false): Generator<{ [key: string]: Json }> {
  const { receipt, block, tx, index, firstLogIndex } = located;
  const place = {
    blockHash: bytesToHex(block.hash),
    blockNumber: block.header.number,
    transactionHash: bytesToHex(transactionHash(tx)),
    transactionIndex: index,
    removed,
  };
  for (const [i, log] of receipt.logs.entries())
    yield renderLog(log, { ...place, logIndex: firstLogIndex + i });
}

const isSuccess = ({ receipt }: LocatedReceipt) => receipt.status === STATUS_SUCCESS;
const isBlob = ({ tx }: LocatedReceipt) => tx.blobVersionedHashes !== undefined;

const receiptColumns: readonly Column<LocatedReceipt>[] = [
  ["blobGasPrice", (l) => (isBlob(l) ? hexQuantity(blobBaseFee(l.block.header.baseFee ?? 0n)) : undefined)],
  ["blobGasUsed", (l) => (isBlob(l) ? hexQuantity(blobGas(l.tx)) : undefined)],
  ["contractAddress", ({ receipt }) => contractAddress(receipt)],
  ["effectiveGasPrice", (located) => hexQuantity(paidGasPrice(located))],
  ["gasUsed", ({ receipt }) => hexQuantity(receipt.gasUsed)],
  ["logs", (located) => renderLogs(located)],
  ["logsBloom", ({ receipt }) => bytesToHex(receipt.bloom)],
  ["status", (located) => (isSuccess(located) ? "0x1" : "0x0")],
  ["transactionHash", ({ tx }) => bytesToHex(transactionHash(tx))],
];

function contractAddress({ contractAddress: address }: Receipt): string | null {
  return address === undefined ? null : bytesToHex(address);
}

const layouts = new Map<TransactionType, readonly Column<LocatedReceipt>[]>();

/** A receipt as the chain namespace shows it: the transaction and its outcome. */
export function renderReceipt(located: LocatedReceipt): { [key: string]: Json } {
  return renderColumns(layoutOf(located.tx.type), located);
}

/** JSON text of `renderReceipt`. */
export function receiptText(located: LocatedReceipt): string {
  return columnsText(layoutOf(located.tx.type), located);
}

function layoutOf(type: TransactionType): readonly Column<LocatedReceipt>[] {
  let layout = layouts.get(type);
  if (layout === undefined) {
    const error: Column<LocatedReceipt> = [
      "txError",
      (l) => (isSuccess(l) ? undefined : hexQuantity(l.receipt.status)),
    ];
    layout = sorted([...locatedColumns(type), ...receiptColumns, error]);
    layouts.set(type, layout);
  }
  return layout;
}

const ethLayout = sorted<LocatedReceipt>([
  ...receiptColumns,
  ["blockHash", ({ block }) => bytesToHex(block.hash)],
  ["blockNumber", ({ block }) => hexQuantity(block.header.number)],
  ["cumulativeGasUsed", ({ cumulativeGasUsed }) => hexQuantity(cumulativeGasUsed)],
  ["from", (located) => bytesToHex(senderOf(located))],
  ["to", ethRecipient],
  ["transactionIndex", ({ index }) => hexQuantity(index)],
  ["type", ({ tx }) => hexQuantity(ethTypeNumber(tx))],
]);

/** A receipt as Ethereum clients expect it. */
export function renderEthReceipt(located: LocatedReceipt): { [key: string]: Json } {
  return renderColumns(ethLayout, located);
}

/** JSON text of `renderEthReceipt`. */
export function ethReceiptText(located: LocatedReceipt): string {
  return columnsText(ethLayout, located);
}
