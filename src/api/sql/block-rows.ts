import type { Chain } from "../../ledger/chain/chain.ts";
import { decodeAccountKey } from "../../protocol/account/key-codec.ts";
import { accountKeyToJson } from "../../protocol/account/key-json.ts";
import type { Block } from "../../protocol/block/block.ts";
import { roundOf } from "../../protocol/block/istanbul-extra.ts";
import { placedReceipts } from "../../protocol/block/placed-receipt.ts";
import type { Receipt } from "../../protocol/block/receipt.ts";
import { STATUS_SUCCESS } from "../../protocol/block/status.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import { senderTransactionHash, transactionHash } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { type InclusionContext, paidGasPrice, senderOf } from "../rpc/render/transaction.ts";
import { tokenTransfers } from "./token-transfers.ts";

/** A column value; amounts as decimal text. */
export type Cell = number | string | Uint8Array | null;

/** The tables that hold blocks, with their columns as in `ops/sql/0002-query.sql`. */
export const COLUMNS = {
  blocks:
    "number hash parent_hash timestamp proposer reward_base round state_root transaction_count gas_used base_fee",
  transactions:
    "block_number transaction_index hash type type_code sender recipient nonce value gas gas_price " +
    "effective_gas_price input fee_payer fee_ratio sender_hash",
  receipts: "block_number transaction_index transaction_hash status gas_used fee contract_address log_count",
  logs: "block_number log_index transaction_index address topic0 topic1 topic2 topic3 data",
  token_transfers:
    "block_number log_index batch_index transaction_index kind token sender recipient token_id amount",
  accounts_keys: "block_number transaction_index account kind key",
} as const;

/** Name of a table. */
export type QueryTable = keyof typeof COLUMNS;

/** Rows by their table, each in the order of its columns. */
export type TableRows = Record<QueryTable, Cell[][]>;

/** No rows, for every table. */
export function noRows(): TableRows {
  return { blocks: [], transactions: [], receipts: [], logs: [], token_transfers: [], accounts_keys: [] };
}

/** Number of rows in all tables. */
export function rowCount(rows: TableRows): number {
  return Object.values(rows).reduce((sum, { length }) => sum + length, 0);
}

/**
 * Adds the rows of a block, a step for each transaction, log and transfer, so that the rows so far can be taken away meanwhile.
 * @param chain - that it is in
 */
export function* addBlock(
  rows: TableRows,
  chain: Pick<Chain, "config" | "rulesAt" | "author">,
  {
    block,
    hash,
    receipts,
  }: { readonly block: Block; readonly hash: Hash; readonly receipts: readonly Receipt[] },
): Generator<void, void> {
  const { header, transactions } = block;
  const context = { header, hash, rules: chain.rulesAt(header.number) };
  rows.blocks.push([
    String(header.number),
    hash,
    header.parentHash,
    String(header.time),
    chain.author(header),
    header.rewardbase,
    header.number === 0n ? 0 : roundOf(header.extra),
    header.stateRoot,
    transactions.length,
    String(header.gasUsed),
    header.baseFee === undefined ? null : String(header.baseFee),
  ]);
  for (const [index, { receipt, firstLogIndex }] of placedReceipts(receipts).entries()) {
    const tx = transactions[index] as Transaction;
    addTransaction(rows, { tx, chainId: chain.config.chainId, block: context, index }, receipt);
    yield;
    yield* addLogs(rows, [String(header.number), index], receipt, firstLogIndex);
  }
}

function addTransaction(
  rows: TableRows,
  located: {
    readonly tx: Transaction;
    readonly chainId: bigint;
    readonly block: InclusionContext;
    readonly index: number;
  },
  receipt: Receipt,
): void {
  const { tx, block, index } = located;
  const place = [String(block.header.number), index];
  const hash = transactionHash(tx);
  const price = paidGasPrice(located);
  rows.transactions.push([
    ...place,
    hash,
    tx.type.name,
    tx.type.code,
    senderOf(located),
    tx.to ?? null,
    String(tx.nonce),
    String(tx.value),
    String(tx.gas),
    String(tx.gasPrice),
    String(price),
    tx.input,
    tx.feePayer ?? null,
    tx.feeRatio ?? null,
    senderTransactionHash(tx),
  ]);
  const { status, gasUsed, contractAddress = null, logs } = receipt;
  rows.receipts.push([
    ...place,
    hash,
    status,
    String(gasUsed),
    String(gasUsed * price),
    contractAddress,
    logs.length,
  ]);
  if (tx.type.effect !== "accountUpdate" || status !== STATUS_SUCCESS) return;
  const key = decodeAccountKey(tx.key as Uint8Array);
  rows.accounts_keys.push([...place, senderOf(located), key.type, JSON.stringify(accountKeyToJson(key))]);
}

function* addLogs(
  rows: TableRows,
  [number, index]: [string, number],
  { logs }: Receipt,
  first: number,
): Generator<void, void> {
  for (const [i, log] of logs.entries()) {
    const topics = [0, 1, 2, 3].map((at) => log.topics[at] ?? null);
    rows.logs.push([number, first + i, index, log.address, ...topics, log.data]);
    let batch = 0;
    for (const transfer of tokenTransfers(log)) {
      const { kind, sender, recipient, tokenId, amount } = transfer;
      const id = tokenId === undefined ? null : String(tokenId);
      rows.token_transfers.push([
        number,
        first + i,
        batch++,
        index,
        kind,
        log.address,
        sender,
        recipient,
        id,
        String(amount),
      ]);
      yield;
    }
    yield;
  }
}
