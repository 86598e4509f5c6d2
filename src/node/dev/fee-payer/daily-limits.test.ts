import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DailyLimits } from "./daily-limits.ts";

const DAY_MS = 86_400_000;
const sender = (n: number) => new Uint8Array(20).fill(n);

describe("the daily limits of a fee payer", () => {
  it("are never exceeded, whatever is reserved, rejected and settled", () => {
    const step = fc.record({
      from: fc.integer({ min: 1, max: 4 }),
      cost: fc.bigInt({ min: 0n, max: 60n }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      waitMs: fc.integer({ min: -DAY_MS / 8, max: DAY_MS / 8 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = 20_000 * DAY_MS;
        const limits = new DailyLimits({ dailyLimit: 100n, dailySenderLimit: 50n }, { now: () => now });
        const paid = new Map<number, { all: bigint; by: Map<number, bigint> }>();
        let day = 0;
        for (const { from, cost, share, waitMs } of steps) {
          now += waitMs;
          day = Math.max(day, Math.floor(now / DAY_MS));
          const taken = limits.take(sender(from), cost);
          if (typeof taken === "string") continue;
          const fee = BigInt(Math.floor(Number(cost) * share));
          taken(fee);
          const today = paid.get(day) ?? { all: 0n, by: new Map<number, bigint>() };
          paid.set(day, today);
          today.all += fee;
          today.by.set(from, (today.by.get(from) ?? 0n) + fee);
        }
        for (const { all, by } of paid.values()) {
          expect(all).toBeLessThanOrEqual(100n);
          for (const spent of by.values()) expect(spent).toBeLessThanOrEqual(50n);
        }
      }),
    );
  });

  it("are charged before paying, so that concurrent requests gain nothing, and refunded if nothing was paid", () => {
    const limits = new DailyLimits({ dailyLimit: 100n }, { now: () => DAY_MS });
    const taken = Array.from({ length: 5 }, () => limits.take(sender(1), 40n));
    expect(taken.map((one) => typeof one)).toEqual(["function", "function", "string", "string", "string"]);
    (taken[0] as (fee: bigint) => void)(0n);
    expect(typeof limits.take(sender(2), 40n)).toBe("function");
  });
});
