import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeSort } from "./merge-sort.ts";
import { runSync } from "./turns/pace.ts";

const byKey = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0];

describe("a sort in steps", () => {
  it("is stable and loses nothing, in any number of runs", () => {
    const lengths = fc.constantFrom(0, 1, 1024, 1025, 2048, 3000, 5000);
    fc.assert(
      fc.property(lengths, fc.integer(), (length, seed) => {
        const elements = Array.from(
          { length },
          (_, i) => [Math.imul(i + seed, 0x9e3779b1) >>> 27, i] as const,
        );
        expect(runSync(mergeSort(elements, byKey))).toEqual([...elements].sort(byKey));
      }),
      { numRuns: 20 },
    );
  });

  it("yields after each thousand that it sorts, and each two thousand that it merges", () => {
    const steps = mergeSort(
      Array.from({ length: 8192 }, (_, i) => [-i, i] as const),
      byKey,
    );
    let count = 0;
    while (!steps.next().done) count++;
    // eight runs; then pairs of 2,048 elements, of 4,096, and all
    expect(count).toBe(8 + 4 + 2 * 2 + 4);
  });
});
