import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { checkDepth, faultOf, parseJsonWithin } from "./nesting.ts";
import { parseJsonPaced, parseJsonPacedWith } from "./parse-json-paced.ts";
import { PieceIntake } from "./pieces.ts";
import { naming } from "./read-file.ts";
import { unpackBounded } from "./unpack.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("unpackBounded", () => {
  it("stops decompressing above the limit", async () => {
    const bomb = gzipSync(new Uint8Array(64 << 20));
    const pace = new TimeSlice();
    await expect(unpackBounded(bomb, 1 << 20, pace)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(await unpackBounded(gzipSync(bytesOf("kaia")), 4, pace)).toEqual(bytesOf("kaia"));
    const broken = unpackBounded(bomb.subarray(0, 5000), 1 << 30, pace);
    await expect(broken).rejects.toMatchObject({ code: "DAMAGED" });
  });

  it("yields between the pieces that it joins", async () => {
    let turns = 0;
    const pace = { isDue: () => true, yield: async () => void turns++ };
    const bytes = Uint8Array.from({ length: 5 << 20 }, (_, i) => i >> 10);
    expect(Buffer.compare(await unpackBounded(gzipSync(bytes), bytes.length, pace), bytes)).toBe(0);
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});

describe("naming", () => {
  it("prefixes the path to the message, once, and keeps the error", () => {
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
  it("counts levels outside strings", () => {
    expect(() => checkDepth("[".repeat(1_000_000), 64)).toThrow("more than 64 levels");
    expect(() => checkDepth('{"a":'.repeat(65), 64)).toThrow("more than 64 levels");
    expect(parseJsonWithin(`["${"[".repeat(100)}\\"${"{".repeat(100)}"]`)).toHaveLength(1);
    expect(() => parseJsonWithin("[[[]")).toThrow(SyntaxError);
    checkDepth(`"${'\\"'.repeat(500_000)}`, 1);
  });

  it("says why a text is refused, and shows nothing of it", () => {
    const said = (text: string): string => {
      try {
        return String(parseJsonWithin(text));
      } catch (error) {
        return faultOf(error);
      }
    };
    expect(said("secret")).toBe("Unexpected token 's'");
    expect(said(`{"key": secret, "more": [1, 2, 3]}`)).toBe("Unexpected token 's'");
    expect(said(`["${"x".repeat(50)}", secret`)).toBe("Unexpected token 's'");
    expect(said("0123456789abcdef")).not.toContain("123");
    expect(said("")).toBe("Unexpected end of JSON input");
    expect(said("[".repeat(65))).toBe("JSON of more than 64 levels");
    expect(faultOf(new SyntaxError('"secret" is not valid JSON'))).toBe("it is not JSON");
  });

  it("limits what is parsed to a depth and a number of values", () => {
    expect(parseJsonWithin("[[]]", 2, 2)).toEqual([[]]);
    expect(() => parseJsonWithin("[[]]", 1)).toThrow("more than 1 levels");
    for (const text of ["[[]]", "[0,0]"]) {
      expect(() => parseJsonWithin(text, 64, 1)).toThrow("more than 1 values");
      expect(parseJsonWithin(text, 64, 2)).toEqual(JSON.parse(text));
    }
  });
});

const pace = new TimeSlice();

describe("parseJsonPaced", () => {
  const same = async (text: string) => JSON.stringify(await parseJsonPaced(bytesOf(text), 1000, pace));

  it("accepts what JSON.parse accepts", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.constantFrom(undefined, 1, "\t"), async (text, indent) => {
        const value = JSON.parse(text);
        if (text.includes('"__proto__"')) return;
        expect(await same(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("rejects what JSON.parse rejects", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.nat(),
        fc.constantFrom("", ",", "]", "}", '"', ":", "1", "\\"),
        async (text, seed, put) => {
          const at = seed % (text.length + 1);
          const broken = text.slice(0, at) + put + text.slice(at + 1);
          const isJson = await parseJsonPaced(bytesOf(broken), 1000, pace).then(
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

  it("reads __proto__ as an ordinary member", async () => {
    const value = (await parseJsonPaced(bytesOf('{"__proto__":{"isAdmin":true}}'), 9, pace)) as Record<
      string,
      unknown
    >;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value["isAdmin"]).toBeUndefined();
    for (const member of ["toString", "constructor"]) expect(member in value).toBe(false);
  });

  it("makes objects of few members in V8's compact form, not hash tables", async () => {
    const text = '[{"nonce":1,"storage":{}},{"nonce":2,"storage":{}}]';
    const accounts = (await parseJsonPaced(bytesOf(text), 9, pace)) as unknown[];
    setFlagsFromString("--allow-natives-syntax");
    const areCompact = runInNewContext("values.map((value) => %HasFastProperties(value))", {
      values: [...accounts, Object.create(null)],
    });
    setFlagsFromString("--no-allow-natives-syntax");
    expect(areCompact).toEqual([true, true, false]);
  });

  it("keeps numbers that a double cannot hold, where asked to", async () => {
    const reading = { values: 9, depth: 9, members: 2, number: (text: string) => ({ text }) };
    const read = (text: string) => parseJsonPacedWith(bytesOf(text), reading, pace);
    expect(await read('[1, 1.5, 12345678901234567890, {"a": 1e400, "b": 1.0}]')).toEqual([
      ...[1, 1.5, { text: "12345678901234567890" }],
      { a: { text: "1e400" }, b: { text: "1.0" } },
    ]);
    await expect(read('{"a":{"b":1,"c":2},"d":[{}],"e":0}')).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(await read('{"a":{"b":1,"c":2},"d":[{"e":0}]}')).toEqual({ a: { b: 1, c: 2 }, d: [{ e: 0 }] });
  });

  it("limits levels and values", async () => {
    await expect(parseJsonPaced(bytesOf("[".repeat(100_000)), 99, pace)).rejects.toMatchObject({
      code: "TOO_DEEP",
    });
    const flat = bytesOf(`[${"0,".repeat(100)}0]`);
    await expect(parseJsonPaced(flat, 101, pace)).rejects.toMatchObject({ code: "TOO_LARGE" });
    expect(await parseJsonPaced(flat, 102, pace)).toHaveLength(101);
    await expect(parseJsonPaced(Buffer.alloc(2 << 20, " "), 9, pace)).rejects.toMatchObject({
      code: "DAMAGED",
    });
    const long = bytesOf(`"${"a".repeat(9 << 20)}"`);
    await expect(parseJsonPaced(long, 9, pace)).rejects.toMatchObject({ code: "DAMAGED" });
  });

  it("yields between values, and ignores blanks wherever they are", async () => {
    let turns = 0;
    const due = { isDue: () => true, yield: async () => void turns++ };
    const text = `["${"a".repeat(2 << 20)}",\r\n\t ${"0,".repeat(999)}0]`;
    expect(await parseJsonPaced(bytesOf(text), 2000, due)).toEqual(JSON.parse(text));
    expect(turns).toBe(3);
  });
});

describe("PieceIntake", () => {
  it("collects one message after the other", () => {
    const intake = new PieceIntake(4);
    const take = (...pieces: string[]) => {
      for (const piece of pieces) intake.add(bytesOf(piece));
      return intake.take().toString();
    };
    expect([take("a"), take("b", "cde"), take(), take("f", "g")]).toEqual(["a", "bcde", "", "fg"]);
    expect(() => take("abc", "de")).toThrow("more than 4 bytes");
    expect(take("h")).toBe("h");
  });
});
