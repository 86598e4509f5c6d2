import { blockHash } from "../../../protocol/block/hash.ts";
import { deriveSha } from "../../../protocol/block/list-root.ts";
import { encodeReceipt } from "../../../protocol/block/receipt-codec.ts";
import type { ParamReader } from "../../../protocol/params/config.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { senderTransactionHash, transactionHash } from "../../../protocol/transaction/hash.ts";
import { vouch } from "../../../protocol/transaction/signatures/impersonation.ts";
import { recoverSigners, senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { StateStore } from "../../state/state.ts";
import type { ExecutedBlock, TransactionPlace } from "../chain.ts";
import { ChainError } from "../errors.ts";
import { verifyLogIndex } from "../logs/verify-log-index.ts";
import { BlockTable } from "../tables/block-table.ts";

/** Counts of what a database holds. */
export interface ChainCounts {
  readonly blocks: number;
  readonly transactions: number;
  /** Addresses and topics in the log index, which lags behind the newest blocks. */
  readonly postings: number;
}

/** What is checked, and under which rules. */
export interface ChainCheck {
  readonly store: StateStore;
  readonly chainId: bigint;
  readonly params: ParamReader;
  /** Called with the number of each block before it is checked. */
  readonly onBlock?: ((number: bigint) => void) | undefined;
}

/** Expected row counts of the tables, added up on the way. */
type RowCounts = Record<"header" | "number" | "body" | "receipts" | "place" | "sent" | "senderHash", number>;

/**
 * Reads every block and checks it against its hash, its parent, its roots and all indexes: by hash, transaction, sender
 * and log. No table may have rows of blocks that are not in the chain.
 * @throws ChainError `CHAIN_DAMAGED` naming the first block with a contradiction
 */
export function verifyChain(check: ChainCheck): ChainCounts {
  const { store } = check;
  const head = store.head?.number ?? -1n;
  const table = new BlockTable(store);
  const counts = { header: 0, number: 0, body: 0, receipts: 0, place: 0, sent: 0, senderHash: 0 };
  for (let number = 0n; number <= head; number++) {
    check.onBlock?.(number);
    try {
      verifyBlock(check, table, number, counts);
    } catch (error) {
      throw unreadable(error, number);
    }
  }
  const postings = verifyLogIndex(store, table);
  if (postings === undefined) throw damaged(head, "the index of the logs is another chain's");
  const sizes = store.tableSizes();
  for (const [name, wanted] of Object.entries(counts)) {
    const { rows } = sizes.get(name) ?? { rows: 0 };
    if (rows !== wanted) throw damaged(head, `the table ${name} has ${rows} rows, the chain ${wanted}`);
  }
  return { blocks: counts.header, transactions: counts.place, postings };
}

function verifyBlock(check: ChainCheck, table: BlockTable, number: bigint, counts: RowCounts): void {
  const executed = table.executed(number);
  if (executed === undefined) throw damaged(number, "it is missing");
  const { block, hash, receipts } = executed;
  if (!equalBytes(blockHash(block.header), hash)) throw damaged(number, "its hash is another");
  if (table.number(hash) !== number) throw damaged(number, "it is not found by its hash");
  if (number > 0n) {
    if (!equalBytes(table.hash(number - 1n) ?? hash, block.header.parentHash))
      throw damaged(number, "its parent is another block");
    verifyRoots(check, executed);
  }
  counts.header++;
  counts.number++;
  if (block.transactions.length > 0) counts.body++;
  if (receipts.length > 0) counts.receipts++;
  verifyLookUps(check, table, executed, counts);
}

function verifyRoots({ params }: ChainCheck, { block, receipts }: ExecutedBlock): void {
  const { header, transactions } = block;
  const { deriveShaImpl } = params.at(header.number);
  const root = (items: readonly Uint8Array[]) => deriveSha(deriveShaImpl, items);
  if (!equalBytes(root(transactions.map(encodeTransaction)), header.transactionsRoot))
    throw damaged(header.number, "its transactions are others");
  if (!equalBytes(root(receipts.map(encodeReceipt)), header.receiptsRoot))
    throw damaged(header.number, "its receipts are others");
}

function verifyLookUps(
  { chainId }: ChainCheck,
  table: BlockTable,
  { block }: ExecutedBlock,
  counts: RowCounts,
): void {
  const { number } = block.header;
  for (const [index, transaction] of block.transactions.entries()) {
    const isHere = (place: TransactionPlace | undefined) =>
      place?.blockNumber === number && place.index === index;
    const hash = transactionHash(transaction);
    if (!isHere(table.place(hash))) throw damaged(number, `transaction ${index} is not found by its hash`);
    counts.place++;
    const { nonce } = transaction;
    vouch(transaction, chainId, () => true); // a development chain took the word of those it has
    const { sender } = recoverSigners(transaction, chainId);
    if (!equalBytes(sender, senderOf(transaction, chainId)))
      throw damaged(number, `transaction ${index} was recorded with another sender`);
    const [sent] = table.sent(sender, { from: nonce, to: nonce + 1n });
    // A follower that was killed looks for them when it starts again.
    if (sent === undefined && !table.isUnattributed(number))
      throw damaged(number, `transaction ${index} is not found by its sender`);
    // On a development chain whose nonces were set back, the look-up finds the last transaction with a nonce.
    if (isHere(sent)) counts.sent++;
    if (transaction.type.feeMode === "sender") continue;
    const found = table.transactionHashBySender(senderTransactionHash(transaction));
    if (found === undefined || !equalBytes(found, hash))
      throw damaged(number, `transaction ${index} is not found by its sender's hash`);
    counts.senderHash++;
  }
}

/** Reports a row that cannot be decoded as damage to the block it belongs to. */
function unreadable(error: unknown, number: bigint): unknown {
  if (error instanceof ChainError || !(error instanceof NodeError)) return error;
  return damaged(number, error.message, error);
}

function damaged(number: bigint, what: string, cause?: unknown): ChainError {
  const message = `the chain is damaged at block ${number}: ${what}`;
  return new ChainError("CHAIN_DAMAGED", message, { number }, { cause });
}
