import { describe, expect, it } from "vitest";
import { roundTimeoutMs } from "./timeout.ts";

describe("roundTimeoutMs", () => {
  it("is 10 s, plus 2^round seconds after the first round", () => {
    expect([0, 1, 2, 3, 4].map(roundTimeoutMs)).toEqual([10_000, 12_000, 14_000, 18_000, 26_000]);
  });

  it("stays within the range of timers", () => {
    expect(roundTimeoutMs(4_000_000_000)).toBe(2_147_483_647);
  });
});
