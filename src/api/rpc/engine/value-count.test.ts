import { describe, expect, it } from "vitest";
import { readRequest } from "./request.ts";
import { hasMoreValues } from "./value-count.ts";

const listOf = (count: number, value = "1") => Buffer.from(`[${`${value},`.repeat(count - 1)}${value}]`);

describe("a request with many values", () => {
  it("may have 50,000 of them", () => {
    expect(hasMoreValues(listOf(50_000), 50_000)).toBe(false);
    expect(hasMoreValues(listOf(50_001), 50_000)).toBe(true);
    expect(hasMoreValues(listOf(50_001, "{}"), 50_000)).toBe(true);
  });

  it("has as many in lists of lists, which need no commas", () => {
    const nested = (levels: number) =>
      Buffer.from(`[${`${"[".repeat(levels)}${"]".repeat(levels)},`.repeat(9)}1]`);
    expect(hasMoreValues(nested(5_500), 50_000)).toBe(false);
    expect(hasMoreValues(nested(5_600), 50_000)).toBe(true);
  });

  it("has none in its strings", () => {
    const commas = ",".repeat(100_000);
    expect(hasMoreValues(Buffer.from(`["${commas}",1,"\\"${commas}",2]`), 50_000)).toBe(false);
    expect(hasMoreValues(Buffer.from(`["\\\\"${commas}]`), 50_000)).toBe(true);
    expect(hasMoreValues(Buffer.from(`["\\"${commas}]`), 50_000)).toBe(false);
  });

  it("may have 20,000 where they are read one by one", () => {
    const NO_SECRETS = { marks: [], of: () => [] };
    const kindOf = (values: Buffer, id: string) => {
      const request = Buffer.from(`{"id":${id},"method":"m","params":${values}}`);
      return readRequest(request, NO_SECRETS as never).envelope.kind;
    };
    expect(kindOf(listOf(30_000), "1")).toBe("single");
    expect(kindOf(listOf(30_000), "-1")).toBe("oversized");
    expect(kindOf(listOf(19_000), "-1")).toBe("single");
  });
});
