import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { checkDepth, parseJsonWithin } from "./nesting.ts";
import { parseInTurns } from "./parse-in-turns.ts";
import { naming } from "./read-file.ts";
import { unpackedWithin } from "./unpack.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("unpackedWithin", () => {
  it("stops an archive where it says more than it may", async () => {
    const bomb = gzipSync(new Uint8Array(64 << 20));
    const pace = new TimeSlice();
    await expect(unpackedWithin(bomb, 1 << 20, pace)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(await unpackedWithin(gzipSync(bytesOf("kaia")), 4, pace)).toEqual(bytesOf("kaia"));
    const broken = unpackedWithin(bomb.subarray(0, 5000), 1 << 30, pace);
    await expect(broken).rejects.toMatchObject({ code: "DAMAGED" });
  });

  it("gives way between the pieces that it joins", async () => {
    let turns = 0;
    const pace = { isDue: () => true, giveWay: async () => void turns++ };
    const bytes = Uint8Array.from({ length: 5 << 20 }, (_, i) => i >> 10);
    expect(Buffer.compare(await unpackedWithin(gzipSync(bytes), bytes.length, pace), bytes)).toBe(0);
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});

describe("naming", () => {
  it("puts the path before what is wrong with the content, once, and keeps the error", () => {
    const wrong = (text: string) => () =>
      naming("/etc/x", () => {
        throw Object.assign(new TypeError(text), { code: "ODD" });
      });
    expect(wrong("no JSON")).toThrow(expect.objectContaining({ message: "/etc/x: no JSON", code: "ODD" }));
    expect(wrong("no JSON")).toThrow(TypeError);
    expect(wrong("/etc/x is no JSON")).toThrow(expect.objectContaining({ message: "/etc/x is no JSON" }));
    expect(naming("/etc/x", () => 5)).toBe(5);
  });
});

describe("checkDepth", () => {
  it("counts levels outside of strings", () => {
    expect(() => checkDepth("[".repeat(1_000_000), 64)).toThrow("more than 64 levels");
    expect(() => checkDepth('{"a":'.repeat(65), 64)).toThrow("more than 64 levels");
    expect(parseJsonWithin(`["${"[".repeat(100)}\\"${"{".repeat(100)}"]`)).toHaveLength(1);
    expect(() => parseJsonWithin("[[[]")).toThrow(SyntaxError);
    checkDepth(`"${'\\"'.repeat(500_000)}`, 1);
  });
});

const pace = new TimeSlice();

describe("parseInTurns", () => {
  const same = async (text: string) => JSON.stringify(await parseInTurns(bytesOf(text), 1000, pace));

  it("reads what JSON.parse reads", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.constantFrom(undefined, 1, "\t"), async (text, indent) => {
        const value = JSON.parse(text);
        if (text.includes('"__proto__"')) return;
        expect(await same(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("refuses what JSON.parse refuses", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", "]", "}", '"', ":", "1", "\\"),
        async (text, seed, put) => {
          const at = seed % (text.length + 1);
          const broken = text.slice(0, at) + put + text.slice(at + 1);
          const isJson = await parseInTurns(bytesOf(broken), 1000, pace).then(
            () => true,
            () => false,
          );
          let wasJson = true;
          try {
            JSON.parse(broken);
          } catch {
            wasJson = false;
          }
          expect([broken, isJson]).toEqual([broken, wasJson]);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("takes a member named __proto__ for a member", async () => {
    const value = (await parseInTurns(bytesOf('{"__proto__":{"isAdmin":true}}'), 9, pace)) as Record<
      string,
      unknown
    >;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value["isAdmin"]).toBeUndefined();
  });

  it("bounds levels and values", async () => {
    await expect(parseInTurns(bytesOf("[".repeat(100_000)), 99, pace)).rejects.toMatchObject({
      code: "TOO_DEEP",
    });
    const flat = bytesOf(`[${"0,".repeat(100)}0]`);
    await expect(parseInTurns(flat, 100, pace)).rejects.toMatchObject({ code: "TOO_LARGE" });
    await expect(parseInTurns(Buffer.alloc(2 << 20, " "), 9, pace)).rejects.toMatchObject({
      code: "DAMAGED",
    });
    const long = bytesOf(`"${"a".repeat(9 << 20)}"`);
    await expect(parseInTurns(long, 9, pace)).rejects.toMatchObject({ code: "DAMAGED" });
  });
});
