import { describe, expect, it } from "vitest";
import { GarbageCollector } from "../../../../platform/telemetry/garbage-collector.ts";
import { JsonText, LongText } from "../../spec/values/json-text.ts";
import { TextCache } from "./text-cache.ts";

const TEXTS = 2_000;
const MEMBERS = 40;

/** A text as rendering makes it: joined from many parts. */
function joined(seed: number): string {
  let text = "{";
  for (let i = 0; i < MEMBERS; i++)
    text += `"member${i}":"0x${(seed * MEMBERS + i).toString(16).padStart(64, "0")}",`;
  return `${text}"seed":${seed}}`;
}

describe("the cache of texts", () => {
  it("takes little more memory than the length of its texts", async () => {
    const collector = new GarbageCollector();
    const used = async () => {
      await collector.collect();
      return process.memoryUsage().heapUsed;
    };
    const cache = new TextCache(Number.MAX_SAFE_INTEGER);
    const before = await used();
    let length = 0;
    for (let seed = 0; seed < TEXTS; seed++) {
      const text = joined(seed);
      length += text.length;
      cache.keep(`${seed}`, new JsonText(text));
    }
    // The parts of a joined string take five times its length.
    expect(((await used()) - before) / length).toBeLessThan(2);
    expect(cache.get("7")?.text).toBe(joined(7));
  });

  it("stores texts unchanged in any script, and long ones in pieces", () => {
    const cache = new TextCache();
    const text = `${joined(1)}\ufeff\u0000 한국어 \u{1f600}`;
    expect(cache.keep("a", new JsonText(text)).text).toBe(text);
    expect(cache.get("a")?.text).toBe(text);
    expect(cache.keep("b", new JsonText("\ufeff1")).text).toBe("\ufeff1");
    const long = new JsonText(new LongText([new TextEncoder().encode("[1]")]));
    expect(cache.keep("c", long)).toBe(long);
  });

  it("evicts the least recently used text when full", () => {
    const cache = new TextCache(3 * (1 + 10 + 128)); // key, text, and what an entry takes besides
    for (const key of ["a", "b", "c"]) cache.keep(key, new JsonText("0123456789"));
    cache.get("a");
    cache.keep("d", new JsonText("0123456789"));
    expect(["a", "b", "c", "d"].map((key) => cache.get(key) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });
});
