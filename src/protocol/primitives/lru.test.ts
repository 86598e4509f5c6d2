import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LruMap } from "./lru.ts";

describe("LruMap", () => {
  it("evicts the least recently used entry", () => {
    const lru = new LruMap<string, number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    lru.get("a");
    lru.set("c", 3);
    expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([1, undefined, 3]);
  });

  it("never exceeds its capacity or returns a wrong value", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat())), (writes) => {
        const lru = new LruMap<number, number>(4);
        const last = new Map<number, number>();
        for (const [key, value] of writes) {
          lru.set(key, value);
          last.set(key, value);
          expect(lru.get(key)).toBe(value);
          expect(lru.size).toBeLessThanOrEqual(4);
        }
        for (const [key, value] of last) expect([value, undefined]).toContain(lru.get(key));
      }),
    );
  });

  it("makes room for a 64th of its limit at a time, so that not each addition looks for the oldest entry", () => {
    const lru = new LruMap<number, number>(640);
    const sizes = Array.from({ length: 652 }, (_, i) => {
      lru.set(i, i);
      return lru.size;
    });
    expect(sizes.slice(638)).toEqual([639, 640, 630, 631, 632, 633, 634, 635, 636, 637, 638, 639, 640, 630]);
    expect([lru.get(21), lru.get(22)]).toEqual([undefined, 22]);
  });

  it("replaces a value without evicting another entry", () => {
    const lru = new LruMap<string, number>(2);
    lru.set("a", 1);
    lru.set("b", 2);
    lru.set("b", 3);
    expect(lru.get("a")).toBe(1);
    lru.delete("a");
    expect(lru.get("a")).toBeUndefined();
    lru.clear();
    expect(lru.size).toBe(0);
  });

  it("counts weights if entries have them", () => {
    const lru = new LruMap<string, string>(10, (text) => text.length);
    lru.set("a", "four");
    lru.set("b", "five!");
    lru.set("c", "xx");
    expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([undefined, "five!", "xx"]);
    lru.set("d", "much too long to be kept");
    expect(lru.size).toBe(1);
    lru.set("e", "e");
    expect([lru.get("d"), lru.get("e")]).toEqual([undefined, "e"]);
  });
});
