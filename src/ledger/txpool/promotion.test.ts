import { describe, expect, it } from "vitest";
import { newEoa } from "../../protocol/account/account.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { TransactionPoolOptions } from "./options.ts";
import { createPoolChain } from "./testing/chain.ts";
import { transfer, wallet } from "./testing/transactions.ts";
import { ChainTransactionPool } from "./transaction-pool.ts";

const CHAIN_ID = 2019n;
const SENDER = wallet(0);
const tx = (nonce: number) => transfer(SENDER, { nonce: BigInt(nonce) }, CHAIN_ID);

function setUp(options: Partial<TransactionPoolOptions> = {}) {
  const accounts = new Map([[SENDER.key, newEoa(10n ** 20n)]]);
  const poolChain = createPoolChain(FORKS.length, CHAIN_ID, accounts);
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain: poolChain.chain, recovery, now: () => 0, options });
  const include = (nonce: bigint) => {
    accounts.set(SENDER.key, { ...newEoa(10n ** 20n), nonce });
    poolChain.publish();
  };
  return { pool, include };
}

describe("an included transaction", () => {
  it("can no longer be looked up, and takes no room", async () => {
    const { pool, include } = setUp();
    for (const nonce of [0, 1, 2, 5, 6]) await pool.add(tx(nonce), { local: false });
    include(2n);
    expect([0, 1, 2].map((nonce) => pool.get(transactionHash(tx(nonce)))?.nonce)).toEqual([
      undefined,
      undefined,
      2n,
    ]);
    expect([pool.slots, pool.status()]).toEqual([3, { pending: 1, queued: 2 }]);
    // another node's, from the queue
    include(6n);
    expect(pool.get(transactionHash(tx(5)))).toBeUndefined();
    expect([pool.slots, pool.status()]).toEqual([1, { pending: 1, queued: 0 }]);
  });

  it("has no sender in the pool", async () => {
    const { pool, include } = setUp();
    await pool.add(tx(0), { local: true });
    expect(pool.senderOf(tx(0))).toEqual(SENDER.address);
    include(1n);
    expect(() => pool.senderOf(tx(0))).toThrow("transaction is not in the pool");
  });
});

it("keeps by default 16 pending transactions of each sender in a full pool, as the reference node does", async () => {
  const { pool } = setUp({ execSlotsAll: 1 });
  for (let nonce = 0; nonce < 20; nonce++) await pool.add(tx(nonce), { local: false });
  expect(pool.status().pending).toBe(16);
});
