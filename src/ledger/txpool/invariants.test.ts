import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { PoolChain } from "./testing/chain.ts";
import { createPool, GKEI, setNonce, tx, WALLETS } from "./testing/pool.ts";
import type { TestWallet } from "./testing/transactions.ts";
import type { ChainTransactionPool } from "./transaction-pool.ts";

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
        const { pool, poolChain } = createPool({
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
