import { expect, it } from "vitest";
import { compareVerdicts } from "../suites/decoding/verdicts.ts";

it("accepts and rejects 100,000 mutated transactions like the reference node v2.2.1", () => {
  const { count, taken, differing, untyped } = compareVerdicts();
  expect([count, taken]).toEqual([100_000, 30_037]);
  expect(differing).toEqual([]);
  expect(untyped).toEqual([]);
}, 60_000);
