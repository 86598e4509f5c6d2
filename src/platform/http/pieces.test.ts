import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOf, PIECE, piecesOf } from "./pieces.ts";

const joined = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString();

it("splits a text into pieces of its UTF-8, surrogate pairs included", () => {
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

it("gives each piece its own memory, so that a sent one can be freed", () => {
  const { pieces } = piecesOf("a".repeat(3 * PIECE), "latin1");
  expect(pieces).toHaveLength(3);
  for (const piece of pieces) expect(piece.buffer.byteLength).toBe(PIECE);
});

it("returns no piece for an empty text", () => {
  expect(piecesOf("")).toEqual({ pieces: [], length: 0 });
});

it("puts long texts of any encoding into memory that the system gets back, and short ones into the usual one", () => {
  const isMapped = ({ buffer }: Uint8Array) => (buffer as { resizable?: boolean }).resizable;
  for (const length of [0, 1, 65_535, 65_536, 200_000]) {
    const [ascii, hangul] = ["a".repeat(length), "한".repeat(length / 3)];
    expect(bytesOf(ascii, "latin1").equals(Buffer.from(ascii))).toBe(true);
    expect(bytesOf(hangul).equals(Buffer.from(hangul))).toBe(true);
    expect(isMapped(bytesOf(ascii, "latin1"))).toBe(length >= 65_536);
    expect(isMapped(bytesOf(ascii))).toBe(length >= 65_536);
  }
});
