import fc from "fast-check";
import { expect, it } from "vitest";
import { compareBytes } from "../../../protocol/primitives/bytes.ts";
import { decodePostings, endOfTerm, postingKey, postingRow } from "./posting-row.ts";

const below48 = fc.integer({ min: 0, max: 2 ** 48 - 2 });
const gap = fc.oneof(fc.constant(0), fc.nat(200), fc.integer({ min: 0, max: 2 ** 40 }));

it("round-trips postings of any blocks and positions", () => {
  fc.assert(
    fc.property(
      below48,
      fc.array(fc.tuple(gap, fc.oneof(fc.nat(300), fc.nat())), { minLength: 1, maxLength: 50 }),
      (term, steps) => {
        const postings: number[] = [];
        let [block, place] = [0, 0];
        for (const [blocks, places] of steps) {
          place = blocks === 0 ? place + places : places;
          block += blocks;
          postings.push(block, place);
        }
        const { key, value } = postingRow(term, postings);
        expect(decodePostings(key, value as Uint8Array)).toEqual(postings);
      },
    ),
  );
});

it("orders rows by term, then by block", () => {
  fc.assert(
    fc.property(below48, below48, below48, below48, (term, block, otherTerm, otherBlock) => {
      const order = compareBytes(postingKey(term, block), postingKey(otherTerm, otherBlock));
      expect(Math.sign(order)).toBe(Math.sign(term - otherTerm || block - otherBlock));
      expect(compareBytes(postingKey(term, block), endOfTerm(term))).toBeLessThan(0);
    }),
  );
});
