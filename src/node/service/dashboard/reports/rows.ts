import type { Names } from "../../../../api/artifacts/names.ts";
import { senderOf } from "../../../../api/rpc/render/transaction.ts";
import type { BlockRow, TransactionRow } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Chain, TransactionPosition } from "../../../../ledger/chain/chain.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { roundOf } from "../../../../protocol/block/istanbul-extra.ts";
import type { Receipt } from "../../../../protocol/block/receipt.ts";
import { authorOf } from "../../../../protocol/block/seal.ts";
import { STATUS_SUCCESS } from "../../../../protocol/block/status.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { recipientOf } from "../../../../protocol/transaction/recipient.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";

/** Characters of a call in a row. */
const MAX_CALL = 200;

/** A block with what its rows show. */
export interface ShownBlock {
  readonly block: Block;
  readonly hash: Hash;
  readonly receipts: readonly Receipt[];
}

/** The row of a block. */
export function blockRow({ block: { header, transactions }, hash }: Omit<ShownBlock, "receipts">): BlockRow {
  return {
    number: Number(header.number),
    hash: bytesToHex(hash),
    time: Number(header.time),
    transactions: transactions.length,
    gasUsed: Number(header.gasUsed),
    baseFee: header.baseFee === undefined ? null : String(header.baseFee),
    ...sealOf(header),
  };
}

/** Proposer and round; the genesis block has neither, and a malformed seal counts as none. */
function sealOf(header: Header): Pick<BlockRow, "proposer" | "round"> {
  if (header.number === 0n) return { proposer: null, round: 0 };
  try {
    return { proposer: bytesToHex(authorOf(header)), round: roundOf(header.extra) };
  } catch (error) {
    if (error instanceof NodeError) return { proposer: null, round: 0 };
    throw error;
  }
}

/** A transaction of a block as its row needs it. */
interface PlacedTransaction extends TransactionPosition {
  readonly tx: Transaction;
  readonly receipt: Receipt | undefined;
}

/** Dependencies of the rows. */
export interface RowContext {
  readonly chainId: bigint;
  readonly names: Names;
}

/** One transaction of a block, and its outcome. */
export function placedIn(
  { block: { header, transactions }, receipts }: Omit<ShownBlock, "hash">,
  index: number,
): PlacedTransaction {
  return {
    ...{ blockNumber: header.number, index, tx: transactions[index] as Transaction },
    receipt: receipts[index],
  };
}

/** The row of one transaction of a block. */
export function transactionRow(
  { blockNumber, index, tx, receipt }: PlacedTransaction,
  { chainId, names }: RowContext,
): TransactionRow {
  const to = recipientOf(tx);
  const created = receipt?.contractAddress;
  const target = to ?? created;
  return {
    hash: bytesToHex(transactionHash(tx)),
    block: Number(blockNumber),
    index,
    type: tx.type.name.replace("TxType", ""),
    from: bytesToHex(senderOf({ tx, chainId })),
    to: target === undefined ? null : bytesToHex(target),
    isCreation: to === undefined && created !== undefined,
    value: String(tx.value ?? 0n),
    feePayer: tx.feePayer === undefined ? null : bytesToHex(tx.feePayer),
    feeRatio: ratioOf(tx),
    ok: receipt?.status === STATUS_SUCCESS,
    call: callOf(tx, names),
    gasUsed: Number(receipt?.gasUsed ?? 0n),
  };
}

function ratioOf({ type, feeRatio }: Transaction): number | null {
  if (type.feeMode === "sender") return null;
  return type.feeMode === "feePayer" ? 100 : Number(feeRatio ?? 100);
}

/** The function that a transaction calls, else its selector; null if it calls nothing. */
function callOf(tx: Transaction, names: Names): string | null {
  const input = tx.input ?? new Uint8Array();
  if (input.length === 0 || tx.type.effect === "memo" || tx.type.effect === "anchor") return null;
  const to = recipientOf(tx);
  const text = to === undefined ? names.creation(input) : names.call(to, input);
  if (text !== undefined) return text.slice(0, MAX_CALL);
  return to === undefined || input.length < 4 ? null : bytesToHex(input.subarray(0, 4));
}

/** A block of the chain as rows need it. */
export function shownBlock(chain: Chain, number: bigint): ShownBlock | undefined {
  const [block, hash] = [chain.block(number), chain.hash(number)];
  return block && hash && { block, hash, receipts: chain.receipts(number) ?? [] };
}
