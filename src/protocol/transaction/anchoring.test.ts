import { describe, expect, it } from "vitest";
import { hexToBytes } from "../primitives/hex.ts";
import { anchoringToJson, decodeAnchoredBlock } from "./anchoring.ts";
import { readCases } from "./testing/fixtures.ts";

describe("anchored data", () => {
  const cases = readCases<{ name: string; data: string; error: string | null; json?: unknown }>(
    "anchoring-data.json",
  );

  it.each(cases.map((c) => [c.name, c] as const))("%s", (_, { data, error, json }) => {
    if (error !== null) expect(() => anchoringToJson(hexToBytes(data))).toThrowError(error);
    else expect(anchoringToJson(hexToBytes(data))).toEqual(json);
  });

  it("of another kind is not an anchored block", () => {
    const json = cases.find((c) => c.name === "anchor-4")?.data ?? "";
    expect(() => decodeAnchoredBlock(hexToBytes(json))).toThrowError("unknown anchoring tx type");
    const block = cases.find((c) => c.name === "anchor-1")?.data ?? "";
    expect(decodeAnchoredBlock(hexToBytes(block))).toMatchObject({
      blockNumber: 100n,
      blockCount: 10n,
      txCount: 5n,
    });
  });
});
