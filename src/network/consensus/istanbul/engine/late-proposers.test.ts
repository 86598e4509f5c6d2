import { expect, it } from "vitest";
import { LateProposers } from "./late-proposers.ts";

it("responds to each member once per sequence, and not about old blocks", () => {
  const late = new LateProposers();
  const admits = (sequence: number, member = "1") => late.admit(member, sequence, 41);
  expect([admits(40), admits(40), admits(40, "2"), admits(39)]).toEqual([true, false, true, true]);
  expect([admits(33), admits(32)]).toEqual([true, false]);
  late.forget();
  expect(admits(40)).toBe(true);
});
