import { syncBuiltinESMExports } from "node:module";
import v8, { getHeapSpaceStatistics } from "node:v8";
import { describe, expect, it, vi } from "vitest";
import { GarbageCollector } from "./garbage-collector.ts";

describe("the garbage collector", () => {
  it("collects on request, and counts it", async () => {
    const collector = new GarbageCollector();
    collector.start();
    await collector.collect();
    const { count, forced, pauseMs, recent } = collector.collections();
    collector.stop();
    expect(forced).toBe(1);
    expect(count).toBeGreaterThanOrEqual(recent.length);
    expect(pauseMs).toBeGreaterThanOrEqual(0);
  });

  it("returns V8's space for new objects to the system", async () => {
    const size = () =>
      getHeapSpaceStatistics().find((one) => one.space_name === "new_space")?.physical_space_size ?? 0;
    let kept: object[] = [];
    for (let i = 0; i < 1_000_000; i++) {
      if (kept.push({ i, text: `x${i}` }) > 50_000) kept = [];
    }
    const before = size();
    expect(before).toBeGreaterThan(8 << 20);
    kept = [];
    await new GarbageCollector().collect();
    expect(size()).toBeLessThan(before / 2);
  });

  it("starts a collection that finishes beside the program, without allocating", async () => {
    const collector = new GarbageCollector();
    collector.start();
    let isCollected = false;
    const registry = new FinalizationRegistry(() => (isCollected = true));
    (() => registry.register(new Uint8Array(1024), undefined))();
    const before = process.memoryUsage.rss();
    collector.begin();
    expect(process.memoryUsage.rss() - before).toBeLessThan(32 * 1024 * 1024);
    await vi.waitFor(() => expect(isCollected).toBe(true), { timeout: 20_000, interval: 50 });
    expect(collector.collections().forced).toBe(0);
    collector.stop();
  });

  it("says what old and large objects, buffers and the space for new objects take", async () => {
    const collector = new GarbageCollector();
    await collector.collect();
    const before = collector.footprint();
    const buffer = new Uint8Array(32 << 20);
    const large = new Array<number>(2 << 20).fill(0.5);
    const added = buffer.length + 8 * large.length;
    const { allocated, old, young } = collector.footprint();
    for (const grown of [old - before.old, allocated - before.allocated]) {
      expect(grown).toBeGreaterThan(added - (2 << 20));
      expect(grown).toBeLessThan(added + (24 << 20)); // V8 may have copied the array once
    }
    expect(young).toBeGreaterThan(0);
    expect(young).toBeLessThanOrEqual(32 << 20);
  });

  it("has V8 optimise for size until a collection that it has begun ends, unless collection is disabled", async () => {
    const set = vi.spyOn(v8, "setFlagsFromString");
    syncBuiltinESMExports();
    const collector = new GarbageCollector();
    collector.start();
    collector.setPercent(-1);
    set.mockClear();
    collector.begin();
    expect(set).toHaveBeenCalledTimes(0);
    collector.setPercent(100);
    collector.begin();
    expect(set.mock.lastCall).toEqual(["--optimize-for-size"]);
    await vi.waitFor(() => expect(set.mock.lastCall).toEqual(["--no-optimize-for-size"]), {
      timeout: 20_000,
    });
    collector.begin();
    collector.stop();
    expect(set.mock.lastCall).toEqual(["--no-optimize-for-size"]);
    set.mockClear();
    collector.stop();
    expect(set).toHaveBeenCalledTimes(0);
    set.mockRestore();
    syncBuiltinESMExports();
  });

  it("returns the previous percentage; all negative ones are -1", () => {
    const collector = new GarbageCollector();
    expect([50, -5, 0, 100].map((percent) => collector.setPercent(percent))).toEqual([100, 50, -1, 0]);
  });

  it("sums up allocations, including what was collected meanwhile", async () => {
    const collector = new GarbageCollector();
    collector.start();
    const { heap, allocated: first, resident } = collector.memory();
    expect(first).toBeGreaterThan(heap.used_heap_size / 2);
    expect(resident).toBeGreaterThan(heap.used_heap_size / 2);
    const garbage = () => Array.from({ length: 200_000 }, (_, i) => [i]).length;
    for (let round = 0; round < 10; round++) {
      garbage();
      await collector.collect();
    }
    const { allocated: second } = collector.memory();
    expect(second - first).toBeGreaterThan(10 * 200_000 * 16);
    expect(collector.memory().allocated).toBeGreaterThanOrEqual(second);
    collector.stop();
  });
});
