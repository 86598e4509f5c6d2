import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { effectiveTip } from "./content/entry.ts";
import { createPool, GKEI, nonces, tx } from "./testing/pool.ts";

describe("block order", () => {
  it("goes by effective tip, then by arrival, and by nonce for each sender", async () => {
    const { pool } = createPool();
    const sent = [tx(0, 0, 26), tx(1, 0, 30), tx(0, 1, 40), tx(2, 0, 26), tx(1, 1, 25)];
    for (const one of sent) await pool.add(one, { local: false });
    const order = [...pool.executable(25n * GKEI)].map((one) => sent.indexOf(one));
    expect(order).toEqual([1, 0, 2, 3, 4]);
  });

  it("always takes the highest available tip", async () => {
    const price = fc.integer({ min: 25, max: 60 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), price), { maxLength: 12 }), async (list) => {
        const { pool } = createPool();
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
    const { pool } = createPool();
    for (const one of [tx(0, 0, 30), tx(0, 1, 26), tx(0, 2, 40)]) await pool.add(one, { local: false });
    expect(nonces([...pool.executable(27n * GKEI)])).toEqual([0]);
  });
});
