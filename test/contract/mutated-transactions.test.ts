import { expect, it } from "vitest";
import { compareVerdicts } from "../suites/decoding/verdicts.ts";

it("takes and refuses 100,000 mutated transactions as the reference node v2.2.1 does", () => {
  const { count, taken, differing, untyped } = compareVerdicts();
  expect([count, taken]).toEqual([100_000, 30_037]);
  expect(differing).toEqual([]);
  expect(untyped).toEqual([]);
}, 60_000);
