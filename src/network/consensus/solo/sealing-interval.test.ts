import { describe, expect, it } from "vitest";
import { setUp, tx } from "./testing/sealed-solo.ts";

describe("sealing by interval", () => {
  it.each([-3_600_000, -30_000, 3_600_000])(
    "keeps its pace when the clock is set by %i ms, and block times never go back",
    async (step) => {
      const { blocks, runtime, chain } = await setUp({ kind: "interval", intervalMs: 1000 });
      await runtime.advance(5000);
      runtime.setClock(step);
      await runtime.advance(10_000);
      expect(blocks).toHaveLength(15);
      const times = blocks.map((_, i) => chain.header(BigInt(i + 1))?.time ?? 0n);
      for (const [i, time] of times.entries()) expect(time).toBeGreaterThan(times[i - 1] ?? 0n);
    },
  );

  it("seals empty blocks too, at regular times", async () => {
    const { pool, blocks, runtime, chain, service } = await setUp({ kind: "interval", intervalMs: 2000 });
    await runtime.advance(2000);
    await pool.add(tx(0), { local: true });
    expect(service.settled()).toBeUndefined(); // nobody waits for a block of the interval
    await runtime.advance(4000);
    expect(blocks).toEqual([0, 1, 0]);
    expect([1n, 2n, 3n].map((number) => chain.header(number)?.time)).toEqual([1002n, 1004n, 1006n]);
  });
});

describe("sealing by interval and on demand", () => {
  it("does not keep transactions waiting, and counts the interval from the last block", async () => {
    const { pool, blocks, runtime } = await setUp({ kind: "interval", intervalMs: 2000, onDemand: true });
    await runtime.advance(2000);
    expect(blocks).toEqual([0]);
    await runtime.advance(500);
    await pool.add(tx(0), { local: true });
    await runtime.advance(0);
    expect(blocks).toEqual([0, 1]);
    await runtime.advance(1999);
    expect(blocks).toEqual([0, 1]);
    await runtime.advance(1);
    expect(blocks).toEqual([0, 1, 0]);
  });

  it("notifies callers when their transaction is in a block, and releases others", async () => {
    const { pool, blocks, runtime, service } = await setUp({
      kind: "interval",
      intervalMs: 2000,
      onDemand: true,
    });
    await pool.add(tx(1), { local: true });
    await service.settled(() => false);
    await pool.add(tx(0), { local: true });
    const settled = service.settled(() => false)?.then(() => blocks.length);
    await runtime.advance(0);
    expect([await settled, blocks]).toEqual([1, [2]]);
  });
});
