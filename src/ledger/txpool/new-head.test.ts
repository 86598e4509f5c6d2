import { describe, expect, it, vi } from "vitest";
import { newEoa } from "../../protocol/account/account.ts";
import { emptyHeader } from "../../protocol/block/testing/header.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { MissingState } from "../state/missing-state.ts";
import { CHAIN_ID, createPool, GKEI, nonces, setNonce, tx, WALLETS } from "./testing/pool.ts";
import { transfer } from "./testing/transactions.ts";

describe("a new head", () => {
  it("removes included transactions and promotes those after them", async () => {
    const { pool, poolChain } = createPool();
    for (const one of [tx(0, 0), tx(0, 1), tx(0, 3)]) await pool.add(one, { local: false });
    const announced: number[][] = [];
    pool.onPending((transactions) => announced.push(nonces(transactions)));
    setNonce(poolChain, WALLETS[0], 3n);
    poolChain.publish();
    expect(nonces(pool.contentOf(WALLETS[0].address).pending)).toEqual([3]);
    expect(announced).toEqual([[3]]);
  });

  it("demotes transactions below the base fee until it falls", async () => {
    const { pool, poolChain } = createPool();
    for (const one of [tx(0, 0, 30), tx(0, 1, 26), tx(0, 2, 40)]) await pool.add(one, { local: false });
    poolChain.baseFee = 27n * GKEI;
    poolChain.publish();
    expect(pool.status()).toEqual({ pending: 1, queued: 2 });
    poolChain.baseFee = 25n * GKEI;
    poolChain.publish();
    expect(pool.status()).toEqual({ pending: 3, queued: 0 });
  });

  it("drops transactions that the sender can no longer pay for, and queues those after them", async () => {
    const { pool, poolChain } = createPool();
    const rich = transfer(WALLETS[0], { nonce: 1n, value: 10n ** 19n }, CHAIN_ID);
    for (const one of [tx(0, 0), rich, tx(0, 2)]) await pool.add(one, { local: false });
    poolChain.accounts.set(WALLETS[0].key, newEoa(10n ** 18n));
    poolChain.publish();
    const { pending, queued } = pool.contentOf(WALLETS[0].address);
    expect([nonces(pending), nonces(queued)]).toEqual([[0], [2]]);
  });

  it("checks balances of at most 200 transactions, queued ones included, and nonces and prices of all", async () => {
    const { pool, poolChain } = createPool({ nonExecSlotsAccount: 100 });
    const many = (from: number, first: number) => Array.from({ length: 100 }, (_, i) => tx(from, first + i));
    await pool.addAll([...many(0, 0), ...many(1, 1), ...many(2, 0)], { local: false });
    expect(pool.status()).toEqual({ pending: 200, queued: 100 });
    for (const { key } of WALLETS) poolChain.accounts.set(key, newEoa(0n));
    poolChain.accounts.set(WALLETS[2].key, { ...newEoa(0n), nonce: 1n });
    poolChain.baseFee = 24n * GKEI;
    poolChain.publish();
    expect([pool.status(), pool.contentOf(WALLETS[2].address).pending[0]?.nonce]).toEqual([
      { pending: 99, queued: 0 },
      1n,
    ]);
  });

  it("adds transactions removed by a reorganisation again, unless they are in the new branch", async () => {
    const { pool, poolChain } = createPool();
    const block = (...transactions: Transaction[]) => ({ header: emptyHeader(), transactions });
    setNonce(poolChain, WALLETS[0], 1n);
    poolChain.publish({ removed: [block(tx(0, 0), tx(0, 1)), block(tx(1, 0))], added: [block(tx(0, 0))] });
    expect(pool.has(tx(0, 1))).toBe(true);
    expect(pool.has(tx(1, 0))).toBe(true);
    expect(pool.status()).toEqual({ pending: 2, queued: 0 });
  });
});

describe("transactions removed by a reorganisation", () => {
  const removed = [{ header: emptyHeader(), transactions: [tx(0, 0)] }];
  const added = [{ header: emptyHeader(), transactions: [] }];

  it("are added once missing state has been fetched", async () => {
    const { pool, poolChain } = createPool();
    const account = poolChain.accounts.get(WALLETS[0].key);
    let isLoaded = false;
    vi.spyOn(poolChain.accounts, "get").mockImplementation(() => {
      if (isLoaded) return account;
      throw new MissingState("an account", async () => {
        isLoaded = true;
      });
    });
    poolChain.publish({ removed, added });
    expect(pool.has(tx(0, 0))).toBe(false);
    await vi.waitFor(() => expect(pool.has(tx(0, 0))).toBe(true), 15_000);
  });

  it("are lost if they are not valid any more, which is not an error", () => {
    const { pool, poolChain } = createPool();
    setNonce(poolChain, WALLETS[0], 1n);
    poolChain.publish({ removed, added });
    expect(pool.has(tx(0, 0))).toBe(false);
  });

  it("are not lost to a fault of the node without a sign of it", () => {
    const { poolChain } = createPool();
    vi.spyOn(poolChain.accounts, "get").mockImplementation(() => {
      throw new TypeError("a fault");
    });
    expect(() => poolChain.publish({ removed, added })).toThrow("a fault");
  });
});

describe("a rewind", () => {
  it("does not add the transactions of the removed blocks again", async () => {
    const { pool, poolChain } = createPool();
    poolChain.publish({ removed: [{ header: emptyHeader(), transactions: [tx(0, 0)] }] });
    expect(pool.status()).toEqual({ pending: 0, queued: 0 });
  });
});

it("follows the chain until it is closed", async () => {
  const { pool, poolChain } = createPool();
  for (const nonce of [0, 1]) await pool.add(tx(0, nonce), { local: true });
  const pending = [];
  for (const nonce of [1n, 2n]) {
    setNonce(poolChain, WALLETS[0], nonce);
    poolChain.publish();
    pending.push(pool.status().pending);
    pool.close();
  }
  expect(pending).toEqual([1, 1]);
});
