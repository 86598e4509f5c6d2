import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import type { Handlers } from "../../spec/method.ts";
import type { auction } from "../../spec/node/auction.ts";

const NO_BYTES = new Uint8Array(0);
const NO_HASH = new Uint8Array(32);

/**
 * Bids on a node without an auctioneer: the transaction goes to the pool, the bid does not. Texts and their order
 * follow Kaia's RPC test suite for v2.2.1 and the source of that release; no exchange was recorded.
 */
export function auctionHandlers(
  pool: TransactionPool,
  call: Handlers<typeof auction>["call"],
): Handlers<typeof auction> {
  return {
    call,
    async submitBid({ bid: { targetTxRaw = NO_BYTES, targetTxHash = NO_HASH } }) {
      if (targetTxRaw.length === 0) return { err: "Empty target tx raw" };
      try {
        const target = decodeTransaction(targetTxRaw);
        if (!equalBytes(transactionHash(target), targetTxHash)) return { err: "invalid target tx hash" };
        await pool.add(target, { local: true });
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (!error.message.startsWith("known transaction:")) return { err: error.message };
      }
      return { err: "auction is paused" };
    },
  };
}
