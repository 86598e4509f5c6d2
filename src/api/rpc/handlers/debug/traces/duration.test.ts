import { describe, expect, it } from "vitest";
import { growth } from "../../../../../platform/runtime/testing/growth.ts";
import { durationMs } from "./duration.ts";

describe("durations", () => {
  it.each([
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["250us", 0.25],
    ["-1s", -1000],
    ["0", 0],
  ])("reads %s", (text, milliseconds) => {
    expect(durationMs(text)).toBeCloseTo(milliseconds, 9);
  });

  it.each([
    ["10", 'time: missing unit in duration "10"'],
    ["", 'time: invalid duration ""'],
    ["abc", 'time: invalid duration "abc"'],
    ["5x", 'time: unknown unit "x" in duration "5x"'],
  ])("refuses %j as the reference does", (text, message) => {
    expect(() => durationMs(text)).toThrow(message);
  });

  it.each<[string, (length: number) => string]>([
    ["digits", (length) => "1".repeat(length)],
    ["digits before a sign", (length) => `${"1".repeat(length)}!`],
    ["parts", (length) => "1s".repeat(length / 2)],
  ])("refuses many %s in linear time", (_, text) => {
    const refuse = (length: number) => expect(() => durationMs(text(length))).toThrow("time: ");
    expect(growth(refuse, 100_000)).toBeLessThan(10);
  });
});
