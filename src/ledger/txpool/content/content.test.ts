import { expect, it } from "vitest";
import { wallet } from "../testing/transactions.ts";
import { PoolContent } from "./content.ts";
import type { PoolEntry } from "./entry.ts";

const AUTHORITY = wallet(5).key;

/** Only what the index reads. */
function entry(hashKey: string, slots: number): PoolEntry {
  return { hashKey, slots, authorities: [AUTHORITY] } as unknown as PoolEntry;
}

it("tracks an authority and the slots while their transactions are in the pool", () => {
  const content = new PoolContent();
  const [first, second] = [entry("0x1", 1), entry("0x2", 3)];
  content.index(first);
  content.index(second);
  const seen = [];
  for (const gone of [first, first, second]) {
    content.unindex(gone);
    seen.push([content.size, content.slots, content.hasAuthority(AUTHORITY)]);
  }
  expect(seen).toEqual([
    [1, 3, true],
    [1, 3, true],
    [0, 0, false],
  ]);
});
