import { expect, it } from "vitest";
import { createStateStore } from "./create-state-store.ts";
import { RowOverlay } from "./row-overlay.ts";

const key = (n: number) => Uint8Array.of(n);
const row = (table: string, n: number, value: number | null) => ({
  ...{ table, key: key(n) },
  value: value === null ? null : Uint8Array.of(value),
});

it("shows changed, added and deleted rows in order, and leaves those of the store alone", async () => {
  const store = await createStateStore({ engine: "memory" });
  await store.write([row("vote", 1, 1), row("vote", 3, 3), row("vote", 5, 5), row("staking", 1, 9)]);
  const overlay = new RowOverlay(store);
  const rows = (table: string, reverse = false) =>
    [...overlay.range(table, key(0), key(6), reverse)].map(([k, value]) => [k[0], value[0]]);
  expect(rows("vote")).toEqual([
    [1, 1],
    [3, 3],
    [5, 5],
  ]);
  overlay.put([row("vote", 3, 4), row("vote", 5, null)]);
  await overlay.write([row("vote", 2, 2)]);
  expect(rows("vote")).toEqual([
    [1, 1],
    [2, 2],
    [3, 4],
  ]);
  expect(rows("vote", true)).toEqual([
    [3, 4],
    [2, 2],
    [1, 1],
  ]);
  expect(rows("staking")).toEqual([[1, 9]]);
  expect([1, 2, 3, 5].map((n) => overlay.get("vote", key(n))?.[0])).toEqual([1, 2, 4, undefined]);
  expect([1, 2, 3, 5].map((n) => store.get("vote", key(n))?.[0])).toEqual([1, undefined, 3, 5]);
});
