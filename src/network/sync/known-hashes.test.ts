import { expect, it } from "vitest";
import type { Hex } from "../../protocol/primitives/hex.ts";
import { KnownHashes } from "./known-hashes.ts";

const hash = (index: number): Hex => `0x${index}`;
const held = (known: KnownHashes, hashes: readonly Hex[]) => hashes.filter((one) => known.has(one)).length;

it("never holds more hashes than its capacity, and evicts the oldest, a 64th of them at a time", () => {
  const known = new KnownHashes(640);
  const hashes = Array.from({ length: 652 }, (_, index) => hash(index));
  const sizes = hashes.map((one) => {
    known.add(one);
    return held(known, hashes);
  });
  expect(sizes.slice(638)).toEqual([639, 640, 631, 632, 633, 634, 635, 636, 637, 638, 639, 640, 631, 632]);
  expect([19, 20].map((index) => known.has(hash(index)))).toEqual([false, true]);
});

it("does not evict for a hash that it holds, and makes room for one of the smallest", () => {
  const known = new KnownHashes(2);
  for (const index of [1, 2, 2, 1]) known.add(hash(index));
  expect(held(known, [hash(1), hash(2)])).toBe(2);
  known.add(hash(3));
  expect([1, 2, 3].map((index) => known.has(hash(index)))).toEqual([false, true, true]);
});
