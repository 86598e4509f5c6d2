import { expect, it } from "vitest";
import { TableMemory } from "./limb-tables.ts";

it("returns zeroed arrays that do not overlap, across many buffers", () => {
  const arrays = Array.from({ length: 300 }, (_, i) => {
    const memory = new TableMemory(100);
    const [first, second] = [memory.take(Uint32Array, 60), memory.take(Int32Array, 40)];
    const isClear = first.every((word) => word === 0) && second.every((word) => word === 0);
    first.fill(2 * i);
    second.fill(2 * i + 1);
    return { first, second, isClear };
  });
  expect(arrays.every(({ isClear }) => isClear)).toBe(true);
  for (const [i, { first, second }] of arrays.entries()) {
    expect(new Set(first)).toEqual(new Set([2 * i]));
    expect(new Set(second)).toEqual(new Set([2 * i + 1]));
  }
});
