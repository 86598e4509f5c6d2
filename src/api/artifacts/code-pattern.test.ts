import { describe, expect, it } from "vitest";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { compareCode, isBeginning, readCode } from "./code-pattern.ts";
import { rangeAt } from "./source-map.ts";

const LINK = "__$0123456789abcdef0123456789abcdef01$__";
const METADATA = "a2640001".padEnd(24, "0");
const TAIL = `${METADATA}000c`;
const pattern = (text: string, map = "", immutables?: unknown) => {
  const code = readCode(text, map, immutables);
  if (code === undefined) throw new Error("no code");
  return code;
};

describe("code of an artifact", () => {
  it("matches deployed code, whatever its wildcards hold", () => {
    const code = pattern(`6001${LINK}60ff6002`, "", { 7: [{ start: 23, length: 1 }], 8: [null, {}] });
    const deployed = `0x6001${"ab".repeat(20)}60776002`;
    expect(compareCode(code, hexToBytes(deployed))).toBe("whole");
    expect(compareCode(code, hexToBytes(deployed.replace(/6002$/, "6003")))).toBe("none");
    expect(compareCode(code, hexToBytes(`${deployed}00`))).toBe("none");
  });

  it("matches with different metadata, but not fully", () => {
    const code = pattern(`60016002${TAIL}`);
    const other = `0x60016002${TAIL.replace("64", "65")}`;
    expect(compareCode(code, hexToBytes(`0x60016002${TAIL}`))).toBe("whole");
    expect(compareCode(code, hexToBytes(other))).toBe("without metadata");
    expect(compareCode(code, hexToBytes(other.replace("6002", "6003")))).toBe("none");
  });

  it("of a library matches any address of its own", () => {
    const code = pattern(`73${"00".repeat(20)}3014`);
    expect(compareCode(code, hexToBytes(`0x73${"cd".repeat(20)}3014`))).toBe("whole");
  });

  it("is a prefix of init code with arguments", () => {
    const code = pattern(`6001${TAIL}`);
    expect(isBeginning(code, hexToBytes(`0x6001${TAIL}${"00".repeat(32)}`))).toBe(true);
    expect(isBeginning(code, hexToBytes(`0x6002${TAIL}`))).toBe(false);
    expect(isBeginning(code, hexToBytes("0x60"))).toBe(false);
  });

  it("is rejected if invalid", () => {
    for (const text of ["", "0x", "0x1", "zz", undefined, 5, {}, "00".repeat(200_000)])
      expect(readCode(text, "", undefined)).toBeUndefined();
    const many = Array.from({ length: 3000 }, (_, start) => ({ start, length: 1 }));
    expect(readCode("00".repeat(5000), "", { 1: many })).toBeUndefined();
  });
});

describe("a source map", () => {
  it("locates each instruction, omitted fields repeating the previous ones", () => {
    const code = pattern("600161000260035600", "10:5:0:-;12;:7:1;;13:1:-1:i");
    expect(rangeAt(code, 0)).toEqual({ start: 10, length: 5, source: 0, jump: "-" });
    expect(rangeAt(code, 2)).toEqual({ start: 12, length: 5, source: 0, jump: "-" });
    expect(rangeAt(code, 5)).toEqual({ start: 12, length: 7, source: 1, jump: "-" });
    expect(rangeAt(code, 7)).toEqual({ start: 12, length: 7, source: 1, jump: "-" });
    expect(rangeAt(code, 8)).toEqual({ start: 13, length: 1, source: -1, jump: "i" });
    expect(rangeAt(pattern("6001"), 0)).toBeUndefined();
  });

  it("of any length is decoded only as far as the code", () => {
    const code = pattern("6001", ";".repeat(1_000_000));
    expect(rangeAt(code, 0)?.source).toBe(-1);
    expect(rangeAt(pattern("6001", "x:y:z"), 0)).toMatchObject({ start: 0, source: -1 });
  });
});
