import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newEoa } from "../../protocol/account/account.ts";
import { emptyHeader } from "../../protocol/block/testing/header.ts";
import { FORKS } from "../../protocol/params/forks.ts";
import { decodeTransaction } from "../../protocol/transaction/decoding.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { knownSigners } from "../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { effectiveTip } from "./content/entry.ts";
import type { TransactionPoolOptions } from "./options.ts";
import { createPoolChain, type PoolChain } from "./testing/chain.ts";
import { type TestWallet, transfer, wallet } from "./testing/transactions.ts";
import { ChainTransactionPool } from "./transaction-pool.ts";

const CHAIN_ID = 2019n;
const GKEI = 1_000_000_000n;
const WALLETS = [wallet(0), wallet(1), wallet(2)];

function setUp(options: Partial<TransactionPoolOptions> = {}) {
  const accounts = new Map(WALLETS.map(({ key }) => [key, newEoa(10n ** 20n)]));
  const poolChain = createPoolChain(FORKS.length, CHAIN_ID, accounts);
  const time = { nowMs: 0 };
  const pool = new ChainTransactionPool({
    chain: poolChain.chain,
    recovery: createInlineRecovery(CHAIN_ID),
    now: () => time.nowMs,
    options,
  });
  return { pool, poolChain, time };
}

function setNonce({ accounts }: PoolChain, { key }: TestWallet, nonce: bigint): void {
  accounts.set(key, { ...newEoa(10n ** 20n), nonce });
}

const tx = (from: number, nonce: number, price = 25) =>
  transfer(WALLETS[from] as TestWallet, { nonce: BigInt(nonce), gasPrice: BigInt(price) * GKEI }, CHAIN_ID);

const nonces = (transactions: readonly Transaction[]) => transactions.map(({ nonce }) => Number(nonce));

describe("invariants", () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(
        fc.constant("add" as const),
        fc.nat(2),
        fc.nat(6),
        fc.integer({ min: 25, max: 28 }),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.constant("block" as const),
        fc.nat(2),
        fc.nat(3),
        fc.integer({ min: 25, max: 27 }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant("remove" as const),
        fc.nat(2),
        fc.nat(6),
        fc.integer({ min: 25, max: 28 }),
      ),
    },
  );

  it("hold after any adds, blocks and removals", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, local) => {
        const { pool, poolChain } = setUp({
          execSlotsAccount: 2,
          execSlotsAll: 6,
          nonExecSlotsAccount: 2,
          nonExecSlotsAll: 4,
        });
        for (const [kind, from, n, price] of steps) {
          if (kind === "add") await pool.add(tx(from, n, price), { local }).catch(() => {});
          else if (kind === "remove") pool.remove([tx(from, n, price)]);
          else {
            poolChain.baseFee = BigInt(price) * GKEI;
            const sender = WALLETS[from] as TestWallet;
            const nonce = poolChain.accounts.get(sender.key)?.nonce ?? 0n;
            setNonce(poolChain, sender, nonce + BigInt(n));
            poolChain.publish();
          }
          checkInvariants(pool, poolChain);
        }
      }),
      { numRuns: 60 },
    );
  });

  function checkInvariants(pool: ChainTransactionPool, { accounts, baseFee }: PoolChain): void {
    const { pending, queued } = pool.content();
    const count = (map: typeof pending) => [...map.values()].reduce((sum, list) => sum + list.length, 0);
    expect(pool.status()).toEqual({ pending: count(pending), queued: count(queued) });
    for (const { key, address } of WALLETS) {
      const first = accounts.get(key)?.nonce ?? 0n;
      const list = pending.get(key) ?? [];
      expect(list.map(({ nonce }) => nonce)).toEqual(list.map((_, i) => first + BigInt(i)));
      expect(list.every(({ gasPrice }) => gasPrice >= baseFee)).toBe(true);
      expect(pool.nonce(address)).toBe(first + BigInt(list.length));
      const queuedNonces = (queued.get(key) ?? []).map(({ nonce }) => nonce);
      expect(queuedNonces).toEqual([...new Set(queuedNonces)].sort((a, b) => Number(a - b)));
      expect(queuedNonces.every((nonce) => nonce >= first && !list.some((one) => one.nonce === nonce))).toBe(
        true,
      );
    }
    const ordered = [...pool.executable(baseFee)];
    expect(ordered).toHaveLength(count(pending));
    expect(ordered.every((one) => pool.isPending(transactionHash(one)) === true)).toBe(true);
  }
});

describe("block order", () => {
  it("goes by effective tip, then by arrival, and by nonce for each sender", async () => {
    const { pool } = setUp();
    const sent = [tx(0, 0, 26), tx(1, 0, 30), tx(0, 1, 40), tx(2, 0, 26), tx(1, 1, 25)];
    for (const one of sent) await pool.add(one, { local: false });
    const order = [...pool.executable(25n * GKEI)].map((one) => sent.indexOf(one));
    expect(order).toEqual([1, 0, 2, 3, 4]);
  });

  it("always takes the highest available tip", async () => {
    const price = fc.integer({ min: 25, max: 60 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), price), { maxLength: 12 }), async (list) => {
        const { pool } = setUp();
        const next = [0, 0, 0];
        for (const [from, gkei] of list) {
          await pool.add(tx(from, next[from] as number, gkei), { local: false });
          next[from] = (next[from] as number) + 1;
        }
        const waiting = new Map([...pool.content().pending].map(([key, all]) => [key, [...all]]));
        for (const chosen of pool.executable(25n * GKEI)) {
          const heads = [...waiting.values()].flatMap((all) => all.slice(0, 1));
          const tip = effectiveTip(chosen, 25n * GKEI);
          expect(heads.every((one) => effectiveTip(one, 25n * GKEI) <= tip)).toBe(true);
          for (const all of waiting.values()) if (all[0] === chosen) all.shift();
        }
      }),
      { numRuns: 30 },
    );
  });

  it("skips a sender's transactions from the first one below the base fee on", async () => {
    const { pool } = setUp();
    for (const one of [tx(0, 0, 30), tx(0, 1, 26), tx(0, 2, 40)]) await pool.add(one, { local: false });
    expect(nonces([...pool.executable(27n * GKEI)])).toEqual([0]);
  });
});

describe("a new head", () => {
  it("removes included transactions and promotes those after them", async () => {
    const { pool, poolChain } = setUp();
    for (const one of [tx(0, 0), tx(0, 1), tx(0, 3)]) await pool.add(one, { local: false });
    const announced: number[][] = [];
    pool.onPending((transactions) => announced.push(nonces(transactions)));
    setNonce(poolChain, WALLETS[0] as TestWallet, 3n);
    poolChain.publish();
    expect(nonces(pool.contentOf((WALLETS[0] as TestWallet).address).pending)).toEqual([3]);
    expect(announced).toEqual([[3]]);
  });

  it("demotes transactions below the base fee until it falls", async () => {
    const { pool, poolChain } = setUp();
    for (const one of [tx(0, 0, 30), tx(0, 1, 26), tx(0, 2, 40)]) await pool.add(one, { local: false });
    poolChain.baseFee = 27n * GKEI;
    poolChain.publish();
    expect(pool.status()).toEqual({ pending: 1, queued: 2 });
    poolChain.baseFee = 25n * GKEI;
    poolChain.publish();
    expect(pool.status()).toEqual({ pending: 3, queued: 0 });
  });

  it("drops transactions that the sender can no longer pay for, and queues those after them", async () => {
    const { pool, poolChain } = setUp();
    const rich = transfer(WALLETS[0] as TestWallet, { nonce: 1n, value: 10n ** 19n }, CHAIN_ID);
    for (const one of [tx(0, 0), rich, tx(0, 2)]) await pool.add(one, { local: false });
    poolChain.accounts.set((WALLETS[0] as TestWallet).key, newEoa(10n ** 18n));
    poolChain.publish();
    const { pending, queued } = pool.contentOf((WALLETS[0] as TestWallet).address);
    expect([nonces(pending), nonces(queued)]).toEqual([[0], [2]]);
  });

  it("adds transactions removed by a reorganisation again, unless they are in the new branch", async () => {
    const { pool, poolChain } = setUp();
    const block = (...transactions: Transaction[]) => ({ header: emptyHeader(), transactions });
    setNonce(poolChain, WALLETS[0] as TestWallet, 1n);
    poolChain.publish({ removed: [block(tx(0, 0), tx(0, 1)), block(tx(1, 0))], added: [block(tx(0, 0))] });
    expect(pool.has(tx(0, 1))).toBe(true);
    expect(pool.has(tx(1, 0))).toBe(true);
    expect(pool.status()).toEqual({ pending: 2, queued: 0 });
  });
});

describe("a rewind", () => {
  it("does not add the transactions of the removed blocks again", async () => {
    const { pool, poolChain } = setUp();
    poolChain.publish({ removed: [{ header: emptyHeader(), transactions: [tx(0, 0)] }] });
    expect(pool.status()).toEqual({ pending: 0, queued: 0 });
  });
});

describe("expired queues", () => {
  it("are dropped, a lifetime after the sender's first queued transaction", async () => {
    const { pool, time } = setUp({ lifetimeMs: 1000 });
    await pool.add(tx(0, 5), { local: false });
    time.nowMs = 900;
    await pool.add(tx(0, 6), { local: false });
    pool.expire();
    expect(pool.status().queued).toBe(2);
    time.nowMs = 1001;
    pool.expire();
    expect(pool.status().queued).toBe(0);
  });

  it("are kept for local senders if configured", async () => {
    const { pool, time } = setUp({ lifetimeMs: 1000, keepLocals: true });
    await pool.add(tx(0, 5), { local: true });
    time.nowMs = 5000;
    pool.expire();
    expect(pool.status().queued).toBe(1);
  });
});

describe("limits", () => {
  it("drop transactions of the largest senders first, and never local ones", async () => {
    const { pool } = setUp({ execSlotsAccount: 1, execSlotsAll: 5 });
    for (let nonce = 0; nonce < 3; nonce++) await pool.add(tx(0, nonce), { local: true });
    for (let nonce = 0; nonce < 3; nonce++) await pool.add(tx(1, nonce), { local: false });
    await pool.add(tx(2, 0), { local: false });
    const counts = WALLETS.map(({ address }) => pool.contentOf(address).pending.length);
    expect(counts).toEqual([3, 1, 1]);
  });

  it("treat local senders like others if those are not preferred", async () => {
    const { pool } = setUp({ execSlotsAccount: 1, execSlotsAll: 2, noLocals: true });
    for (let nonce = 0; nonce < 3; nonce++) await pool.add(tx(0, nonce), { local: true });
    for (const from of [1, 2]) await pool.add(tx(from, 0), { local: false });
    expect(pool.contentOf((WALLETS[0] as TestWallet).address).pending).toHaveLength(1);
    expect([...pool.locals()]).toEqual([]);
  });

  it("drop the queues of the most recently active senders", async () => {
    const { pool, time } = setUp({ nonExecSlotsAll: 3 });
    for (const [from, nonce] of [
      [0, 5],
      [0, 6],
      [1, 5],
      [1, 6],
    ] as const) {
      time.nowMs++;
      await pool.add(tx(from, nonce), { local: false });
    }
    expect(nonces(pool.contentOf((WALLETS[0] as TestWallet).address).queued)).toEqual([5, 6]);
    expect(nonces(pool.contentOf((WALLETS[1] as TestWallet).address).queued)).toEqual([5]);
  });

  it("let a full pool fill a nonce gap at more than its lowest price, or for a local sender", async () => {
    const filled = async (price: number, local = false) => {
      const { pool } = setUp({ execSlotsAll: 2, nonExecSlotsAll: 2 });
      for (const one of [tx(1, 0, 28), tx(1, 1, 27)]) await pool.add(one, { local: false });
      for (const one of [tx(0, 1, 27), tx(0, 2, 28)]) await pool.add(one, { local });
      const [result] = await pool.addAll([tx(0, 0, price)], { local: false });
      if (result instanceof Error) return result.message;
      return nonces(pool.contentOf((WALLETS[0] as TestWallet).address).pending);
    };
    for (const price of [26, 27]) expect(await filled(price)).toBe("transaction underpriced");
    expect(await filled(28)).toEqual([0, 1]);
    expect(await filled(26, true)).toEqual([0, 1]);
  });

  it("reject peers' transactions if configured", async () => {
    const { pool } = setUp({ denyRemote: true });
    await expect(pool.add(tx(0, 0), { local: false })).rejects.toMatchObject({ code: "REMOTE_DENIED" });
  });
});

/** Another object, whose signers are unknown. */
const copy = (transaction: Transaction) => decodeTransaction(encodeTransaction(transaction));

describe("recoverAhead", () => {
  it("recovers the signers of new transactions, and adds nothing", async () => {
    const { pool } = setUp();
    await pool.add(tx(0, 0), { local: true });
    const [again, next] = [tx(0, 0), tx(0, 1)].map(copy) as [Transaction, Transaction];
    await pool.recoverAhead([again, next]);
    expect(knownSigners(again, CHAIN_ID)).toBeUndefined();
    expect(knownSigners(next, CHAIN_ID)?.sender).toEqual(WALLETS[0]?.address);
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
  });

  it("does nothing for a full pool, which would reject them without recovery", async () => {
    const { pool } = setUp({ execSlotsAll: 1, nonExecSlotsAll: 0 });
    await pool.add(tx(0, 0), { local: true });
    const next = copy(tx(0, 1));
    await pool.recoverAhead([next]);
    expect(knownSigners(next, CHAIN_ID)).toBeUndefined();
  });
});

describe("addAll", () => {
  it("returns a result for each transaction", async () => {
    const { pool } = setUp();
    const results = await pool.addAll([tx(0, 0), tx(0, 0), tx(1, 0)], { local: true });
    expect(
      results.map((result) => (result instanceof Error ? result.message.slice(0, 17) : "accepted")),
    ).toEqual(["accepted", "known transaction", "accepted"]);
  });
});

describe("an account with delegated code", () => {
  it("has one transaction at a time, which may be replaced", async () => {
    const { pool, poolChain } = setUp();
    const { key } = WALLETS[0] as TestWallet;
    poolChain.accounts.set(key, { ...newEoa(10n ** 20n), codeHash: new Uint8Array(32).fill(1) });
    const add = (nonce: number, price?: number) => pool.add(tx(0, nonce, price), { local: true });
    await expect(add(1)).rejects.toThrow("gapped-nonce tx from delegated accounts");
    await add(0);
    await expect(add(1)).rejects.toThrow("in-flight transaction limit reached for delegated accounts");
    await add(0, 28);
    expect([pool.status(), pool.tally.pending.replaced]).toEqual([{ pending: 1, queued: 0 }, 1]);
  });
});

it("follows the chain until it is closed", async () => {
  const { pool, poolChain } = setUp();
  for (const nonce of [0, 1]) await pool.add(tx(0, nonce), { local: true });
  const pending = [];
  for (const nonce of [1n, 2n]) {
    setNonce(poolChain, WALLETS[0] as TestWallet, nonce);
    poolChain.publish();
    pending.push(pool.status().pending);
    pool.close();
  }
  expect(pending).toEqual([1, 1]);
});
