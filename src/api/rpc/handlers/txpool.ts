import type { PoolContents, TransactionPool } from "../../../ledger/txpool/pool.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { recipientOf } from "../../../protocol/transaction/recipient.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { Handlers } from "../method.ts";
import { renderTransaction } from "../render/transaction.ts";
import type { PoolListing, txpool } from "../spec/txpool.ts";

/** Name of the smallest unit of money in texts. */
export type UnitName = "kei" | "peb";

/** `txpool_*`. */
export function txpoolHandlers(
  pool: TransactionPool,
  chainId: bigint,
  unit: UnitName,
): Handlers<typeof txpool> {
  return {
    txpool_status() {
      const { pending, queued } = pool.status();
      return { pending: BigInt(pending), queued: BigInt(queued) };
    },
    txpool_content: () =>
      listContents(pool.content(), (tx) => {
        const rendered = renderTransaction({ tx, chainId, index: 0 });
        // The interface specification names the hash `txHash`, the references `hash`.
        return { ...rendered, txHash: rendered["hash"] as string };
      }),
    txpool_inspect: () => listContents(pool.content(), (tx) => inspect(tx, unit)),
  };
}

function listContents<T>(contents: PoolContents, show: (tx: Transaction) => T): PoolListing<T> {
  const bySender = (senders: PoolContents["pending"]) =>
    Object.fromEntries(
      [...senders].map(([sender, transactions]) => [
        checksumAddress(hexToBytes(sender)),
        Object.fromEntries(transactions.map((tx) => [tx.nonce.toString(), show(tx)])),
      ]),
    );
  return { pending: bySender(contents.pending), queued: bySender(contents.queued) };
}

function inspect(tx: Transaction, unit: UnitName): string {
  const { value, gas, gasPrice } = tx;
  const to = recipientOf(tx);
  const receiver = to === undefined ? "contract creation" : checksumAddress(to);
  return `${receiver}: ${value} ${unit} + ${gas} gas × ${gasPrice} ${unit}`;
}
