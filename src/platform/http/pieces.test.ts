import fc from "fast-check";
import { expect, it } from "vitest";
import { PIECE, piecesOf } from "./pieces.ts";

const joined = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString();

it("cuts a text into pieces that together are its UTF-8, characters of two halves included", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom("a", "é", "한", "🙂"),
      (before, character) => {
        const text = "x".repeat(before) + character.repeat(PIECE);
        const { pieces, length } = piecesOf(text);
        expect(joined(pieces)).toBe(text);
        expect(length).toBe(Buffer.byteLength(text));
        expect(pieces.every((piece) => piece.length <= PIECE)).toBe(true);
      },
    ),
    { numRuns: 20 },
  );
});

it("gives each piece memory of its own, so that one that was sent holds nothing of the others", () => {
  const { pieces } = piecesOf("a".repeat(3 * PIECE), "latin1");
  expect(pieces).toHaveLength(3);
  for (const piece of pieces) expect(piece.buffer.byteLength).toBe(PIECE);
});

it("makes no piece of an empty text", () => {
  expect(piecesOf("")).toEqual({ pieces: [], length: 0 });
});
