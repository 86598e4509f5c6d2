import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logsBloom } from "../../protocol/block/bloom.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import {
  blocksOf,
  blocksWithAny,
  fullSections,
  intersection,
  SECTION_SIZE,
  sectionRows,
} from "./log-index.ts";

const address = (n: number) => new Uint8Array(20).fill(n);

function indexOf(blooms: Iterable<Uint8Array>) {
  const rows = new Map(sectionRows(3, blooms).map(({ key, value }) => [bytesToHex(key), value]));
  return (key: Uint8Array) => rows.get(bytesToHex(key)) ?? undefined;
}

describe("log index", () => {
  it("finds every block that holds an address, however many there are", () => {
    const member = fc.array(fc.integer({ min: 0, max: SECTION_SIZE - 1 }), { maxLength: 300 });
    fc.assert(
      fc.property(member, member, (first, second) => {
        const blooms = Array.from({ length: SECTION_SIZE }, (_, block) =>
          logsBloom([
            ...(first.includes(block) ? [{ address: address(1), topics: [], data: new Uint8Array(0) }] : []),
            ...(second.includes(block) ? [{ address: address(2), topics: [], data: new Uint8Array(0) }] : []),
          ]),
        );
        const read = indexOf(blooms);
        const one = blocksWithAny(3, [address(1)], read);
        const both = blocksWithAny(3, [address(1), address(2)], read);
        const sorted = (list: readonly number[]) => [...new Set(list)].sort((a, b) => a - b);
        expect([...blocksOf(one)]).toEqual(sorted(first));
        expect([...blocksOf(both)]).toEqual(sorted([...first, ...second]));
        const common = first.filter((block) => second.includes(block));
        const found = intersection(one, blocksWithAny(3, [address(2)], read));
        expect([...blocksOf(found)]).toEqual(sorted(common));
      }),
      { numRuns: 15 },
    );
  });

  it("counts a section once its last block is there", () => {
    expect(fullSections(BigInt(SECTION_SIZE - 2))).toBe(0);
    expect(fullSections(BigInt(SECTION_SIZE - 1))).toBe(1);
  });
});
