import type { PooledTransaction, PoolReport, PoolSender } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { PoolContents } from "../../../../ledger/txpool/pool.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { recipientOf } from "../../../../protocol/transaction/recipient.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";

/** Senders of one report. */
const MAX_SENDERS = 25;
/** Transactions of a sender, of those that are ready and of those that wait. */
const MAX_TRANSACTIONS = 100;

/** The pool by sender. Only what is shown is read, and never the inputs: the pool may hold hundreds of megabytes. */
export async function poolReport(
  { pending, queued }: PoolContents,
  chain: Pick<Chain, "latestState">,
  pace: Pace,
): Promise<PoolReport> {
  const addresses = [...new Set([...queued.keys(), ...pending.keys()])];
  const count = (part: PoolContents["pending"], address: string): number => part.get(address)?.length ?? 0;
  addresses.sort((a, b) => count(queued, b) - count(queued, a) || count(pending, b) - count(pending, a));
  const senders: PoolSender[] = [];
  for (const address of addresses.slice(0, MAX_SENDERS))
    senders.push({
      address,
      nonce: Number(chain.latestState().account(hexToBytes(address))?.nonce ?? 0n),
      pending: await rowsOf(pending.get(address), true, pace),
      queued: await rowsOf(queued.get(address), false, pace),
    });
  return { senders, count: addresses.length };
}

async function rowsOf(
  transactions: readonly Transaction[] = [],
  isReady: boolean,
  pace: Pace,
): Promise<PooledTransaction[]> {
  const rows: PooledTransaction[] = [];
  for (const tx of transactions.slice(0, MAX_TRANSACTIONS)) {
    if (pace.isDue()) await pace.yield();
    const to = recipientOf(tx);
    rows.push({
      hash: bytesToHex(transactionHash(tx)),
      nonce: Number(tx.nonce),
      type: tx.type.name.replace("TxType", ""),
      to: to === undefined ? null : bytesToHex(to),
      value: String(tx.value ?? 0n),
      price: String(tx.gasPrice),
      isReady,
    });
  }
  return rows;
}
