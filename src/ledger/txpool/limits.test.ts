import { describe, expect, it } from "vitest";
import { createPool, nonces, tx, WALLETS } from "./testing/pool.ts";

describe("expired queues", () => {
  it("are dropped, a lifetime after the sender's first queued transaction", async () => {
    const { pool, time } = createPool({ lifetimeMs: 1000 });
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
    const { pool, time } = createPool({ lifetimeMs: 1000, keepLocals: true });
    await pool.add(tx(0, 5), { local: true });
    time.nowMs = 5000;
    pool.expire();
    expect(pool.status().queued).toBe(1);
  });
});

describe("limits", () => {
  it("drop transactions of the largest senders first, and never local ones", async () => {
    const { pool } = createPool({ execSlotsAccount: 1, execSlotsAll: 5 });
    for (let nonce = 0; nonce < 3; nonce++) await pool.add(tx(0, nonce), { local: true });
    for (let nonce = 0; nonce < 3; nonce++) await pool.add(tx(1, nonce), { local: false });
    await pool.add(tx(2, 0), { local: false });
    const counts = WALLETS.map(({ address }) => pool.contentOf(address).pending.length);
    expect(counts).toEqual([3, 1, 1]);
  });

  it("treat local senders like others if those are not preferred", async () => {
    const { pool } = createPool({ execSlotsAccount: 1, execSlotsAll: 2, noLocals: true });
    for (let nonce = 0; nonce < 3; nonce++) await pool.add(tx(0, nonce), { local: true });
    for (const from of [1, 2]) await pool.add(tx(from, 0), { local: false });
    expect(pool.contentOf(WALLETS[0].address).pending).toHaveLength(1);
    expect([...pool.locals()]).toEqual([]);
  });

  it("drop the queues of the most recently active senders", async () => {
    const { pool, time } = createPool({ nonExecSlotsAll: 3 });
    for (const [from, nonce] of [
      [0, 5],
      [0, 6],
      [1, 5],
      [1, 6],
    ] as const) {
      time.nowMs++;
      await pool.add(tx(from, nonce), { local: false });
    }
    expect(nonces(pool.contentOf(WALLETS[0].address).queued)).toEqual([5, 6]);
    expect(nonces(pool.contentOf(WALLETS[1].address).queued)).toEqual([5]);
  });

  it("let a full pool fill a nonce gap at more than its lowest price, or for a local sender", async () => {
    const filled = async (price: number, local = false) => {
      const { pool } = createPool({ execSlotsAll: 2, nonExecSlotsAll: 2 });
      for (const one of [tx(1, 0, 28), tx(1, 1, 27)]) await pool.add(one, { local: false });
      for (const one of [tx(0, 1, 27), tx(0, 2, 28)]) await pool.add(one, { local });
      const [result] = await pool.addAll([tx(0, 0, price)], { local: false });
      if (result instanceof Error) return result.message;
      return nonces(pool.contentOf(WALLETS[0].address).pending);
    };
    for (const price of [26, 27]) expect(await filled(price)).toBe("transaction underpriced");
    expect(await filled(28)).toEqual([0, 1]);
    expect(await filled(26, true)).toEqual([0, 1]);
  });

  it("reject peers' transactions if configured", async () => {
    const { pool } = createPool({ denyRemote: true });
    await expect(pool.add(tx(0, 0), { local: false })).rejects.toMatchObject({ code: "REMOTE_DENIED" });
  });
});
