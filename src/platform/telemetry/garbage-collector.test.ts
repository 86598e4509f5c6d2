import { describe, expect, it } from "vitest";
import { GarbageCollector } from "./garbage-collector.ts";

describe("the garbage collector", () => {
  it("collects when told to, and counts it", () => {
    const collector = new GarbageCollector();
    collector.start();
    collector.collect();
    const { count, forced, pauseMs, recent } = collector.collections();
    collector.stop();
    expect(forced).toBe(1);
    expect(count).toBeGreaterThanOrEqual(recent.length);
    expect(pauseMs).toBeGreaterThanOrEqual(0);
  });

  it("answers the percentage before; all negative ones are -1", () => {
    const collector = new GarbageCollector();
    expect([50, -5, 0, 100].map((percent) => collector.setPercent(percent))).toEqual([100, 50, -1, 0]);
  });

  it("remembers the largest heap that it has shown", () => {
    const collector = new GarbageCollector();
    const { heap, peakHeap, resident } = collector.memory();
    expect(peakHeap).toBe(heap.used_heap_size);
    expect(resident).toBeGreaterThan(heap.used_heap_size / 2);
  });
});
