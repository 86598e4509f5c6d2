import { describe, expect, it } from "vitest";
import { joinLists } from "./lists-by-key.ts";

const lists = (given: Record<string, number[]>) => new Map(Object.entries(given));

describe("joinLists", () => {
  it.each([
    ["few newer lists", { a: [1], b: [2, 3], c: [4] }, { b: [5] }, { a: [1], b: [2, 3, 5], c: [4] }],
    ["many newer lists", { b: [1] }, { a: [2], b: [3, 4], c: [5] }, { a: [2], b: [1, 3, 4], c: [5] }],
    ["long newer lists", { a: [1], b: [2] }, { a: [3, 4, 5] }, { a: [1, 3, 4, 5], b: [2] }],
    ["none", {}, {}, {}],
  ] as const)("puts %s after the older ones", (_, older, newer, all) => {
    const copy = (given: Record<string, readonly number[]>) =>
      lists(Object.fromEntries(Object.entries(given).map(([key, list]) => [key, [...list]])));
    expect(Object.fromEntries(joinLists(copy(older), copy(newer)))).toEqual(all);
  });
});
