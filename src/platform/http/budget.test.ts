import { describe, expect, it } from "vitest";
import { Allowance, UnsentBytes } from "./budget.ts";

describe("an allowance", () => {
  it("is taken up to its limit, given back, and counts what it refuses", () => {
    const allowance = new Allowance(3);
    expect([allowance.take(2), allowance.take(2), allowance.take()]).toEqual([true, false, true]);
    expect([allowance.used, allowance.has(0), allowance.has(1), allowance.refused]).toEqual([
      3,
      true,
      false,
      1,
    ]);
    allowance.give();
    expect([allowance.used, allowance.has(1), allowance.has(2)]).toEqual([2, true, false]);
    allowance.give(2);
    allowance.noteRefused();
    expect([allowance.used, allowance.refused]).toEqual([0, 2]);
  });
});

it("the unsent bytes count clients that were cut off elsewhere", () => {
  const unsent = new UnsentBytes(1);
  unsent.noteCut();
  unsent.noteCut();
  expect(unsent.cut).toBe(2);
});
