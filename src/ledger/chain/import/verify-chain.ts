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
import type { ExecutedBlock, TransactionPosition } from "../chain.ts";
import { ChainError } from "../errors.ts";
import { verifyLogIndex } from "../logs/verify-log-index.ts";
import { BlockTable } from "../tables/block-table.ts";

/** Contents of a database, counted. */
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

/** Expected number of rows by table. */
type RowCounts = Record<"header" | "number" | "body" | "receipts" | "place" | "sent" | "senderHash", number>;

/**
 * Reads every block and checks it against its hash, its parent, its roots and all indexes: by hash, transaction, sender
 * and log. Also checks that no table has rows of blocks outside the chain.
 * @throws ChainError `CHAIN_DAMAGED` naming the first inconsistent block
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
  if (postings === undefined) throw damaged(head, "the log index does not match the logs");
  const sizes = store.tableSizes();
  for (const [name, wanted] of Object.entries(counts)) {
    const { rows } = sizes.get(name) ?? { rows: 0 };
    if (rows !== wanted) throw damaged(head, `table ${name} has ${rows} rows instead of ${wanted}`);
  }
  return { blocks: counts.header, transactions: counts.place, postings };
}

function verifyBlock(check: ChainCheck, table: BlockTable, number: bigint, counts: RowCounts): void {
  const executed = table.executed(number);
  if (executed === undefined) throw damaged(number, "it is missing");
  const { block, hash, receipts } = executed;
  if (!equalBytes(blockHash(block.header), hash)) throw damaged(number, "its hash does not match its header");
  if (table.number(hash) !== number) throw damaged(number, "it is not indexed by its hash");
  if (number > 0n) {
    if (!equalBytes(table.hash(number - 1n) ?? hash, block.header.parentHash))
      throw damaged(number, "its parent hash does not match");
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
    throw damaged(header.number, "its transactions do not match the root");
  if (!equalBytes(root(receipts.map(encodeReceipt)), header.receiptsRoot))
    throw damaged(header.number, "its receipts do not match the root");
}

function verifyLookUps(
  { chainId }: ChainCheck,
  table: BlockTable,
  { block }: ExecutedBlock,
  counts: RowCounts,
): void {
  const { number } = block.header;
  for (const [index, transaction] of block.transactions.entries()) {
    const isHere = (position: TransactionPosition | undefined) =>
      position?.blockNumber === number && position.index === index;
    const hash = transactionHash(transaction);
    if (!isHere(table.locate(hash))) throw damaged(number, `transaction ${index} is not indexed by its hash`);
    counts.place++;
    const { nonce } = transaction;
    vouch(transaction, chainId, () => true); // a development chain may hold vouched senders
    const { sender } = recoverSigners(transaction, chainId);
    if (!equalBytes(sender, senderOf(transaction, chainId)))
      throw damaged(number, `transaction ${index} was recorded with another sender`);
    const [sent] = table.sent(sender, { from: nonce, to: nonce + 1n });
    // A follower that was killed recovers these senders at its next start.
    if (sent === undefined && !table.isUnattributed(number))
      throw damaged(number, `transaction ${index} is not indexed by its sender`);
    // On a development chain whose nonces were lowered, the look-up finds the last transaction with a nonce.
    if (isHere(sent)) counts.sent++;
    if (transaction.type.feeMode === "sender") continue;
    const found = table.transactionHashBySender(senderTransactionHash(transaction));
    if (found === undefined || !equalBytes(found, hash))
      throw damaged(number, `transaction ${index} is not indexed by its sender transaction hash`);
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
