import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ExecutedBlock, HeadEvent } from "../../../ledger/chain/chain.ts";
import { revertReason } from "../../../ledger/evm/revert-reason.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { effectiveGasPrice, feeShares } from "../../../protocol/transaction/fees.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import { consoleLines } from "./console-log.ts";
import type { BlockEvent, NodeEvent, RemovalEvent, TransactionEvent } from "./node-event.ts";

/** The events of a change of head, oldest first. */
export function* eventsOfHead(
  { added, removed }: HeadEvent,
  chain: Pick<Blockchain, "config" | "rulesAt">,
): Generator<NodeEvent> {
  if (removed.length > 0) yield removalOf(removed);
  for (const executed of added) {
    const rules = chain.rulesAt(executed.block.header.number);
    for (const index of executed.block.transactions.keys())
      yield transactionEvent(executed, index, rules, chain.config.chainId);
    yield blockEvent(executed);
  }
}

function transactionEvent(
  { block: { header, transactions }, receipts, remarks }: ExecutedBlock,
  index: number,
  rules: Rules,
  chainId: bigint,
): TransactionEvent {
  const transaction = transactions[index] as (typeof transactions)[number];
  const receipt = receipts[index] as Receipt;
  const remark = remarks?.get(index);
  const price = effectiveGasPrice(transaction, rules.magma ? (header.baseFee ?? 0n) : undefined, rules);
  const fee = receipt.gasUsed * price;
  return {
    kind: "transaction",
    hash: transactionHash(transaction),
    blockNumber: header.number,
    index,
    transaction,
    sender: senderOf(transaction, chainId),
    receipt,
    price,
    fee,
    shares: feeShares(transaction, fee),
    error: remark?.error,
    reason: remark && revertReason(remark.output),
    output: remark?.output,
    console: consoleLines(remark?.console),
  };
}

function blockEvent({ block: { header, transactions }, hash }: ExecutedBlock): BlockEvent {
  const { number, time, gasUsed } = header;
  return { kind: "block", number, hash, time, transactions: transactions.length, gasUsed };
}

function removalOf(removed: readonly ExecutedBlock[]): RemovalEvent {
  return {
    kind: "removal",
    first: (removed.at(-1) as ExecutedBlock).block.header.number,
    last: (removed[0] as ExecutedBlock).block.header.number,
    transactions: removed.reduce((sum, { block }) => sum + block.transactions.length, 0),
  };
}
