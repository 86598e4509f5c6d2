import { describe, expect, it } from "vitest";
import { LruMap } from "./lru.ts";

describe("LruMap", () => {
  it("forgets what was not used for the longest time", () => {
    const map = new LruMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  });

  it("counts weights, and keeps a value that alone is too heavy", () => {
    const map = new LruMap<string, number>(10, (value) => value);
    map.set("a", 4);
    map.set("b", 5);
    map.set("a", 6);
    expect([map.get("a"), map.get("b")]).toEqual([6, undefined]);
    map.set("c", 50);
    expect([map.size, map.get("c")]).toEqual([1, 50]);
  });
});
