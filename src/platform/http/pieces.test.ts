import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOfPieces, PIECE, piecesOf } from "./pieces.ts";

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

it("puts the pieces of long texts, in any encoding, into memory that returns to the system, and others into ordinary memory", () => {
  const isMapped = ({ buffer }: Uint8Array) => (buffer as { resizable?: boolean }).resizable;
  const [ascii, hangul] = ["a".repeat(1000), "한".repeat(1000)];
  for (const length of [1000, 2 ** 20 - 1, 2 ** 20, 2 ** 24]) {
    const toBytes = bytesOfPieces(length);
    expect(toBytes(ascii, "latin1").equals(Buffer.from(ascii))).toBe(true);
    expect(toBytes(hangul, "utf8").equals(Buffer.from(hangul))).toBe(true);
    expect([ascii, hangul].map((text) => isMapped(toBytes(text, "utf8")))).toEqual(
      Array.from({ length: 2 }, () => length >= 2 ** 20),
    );
  }
  const { pieces } = piecesOf("b".repeat(2 ** 20), "latin1");
  expect(pieces.map(isMapped)).toEqual([true, true, true, true]);
});
