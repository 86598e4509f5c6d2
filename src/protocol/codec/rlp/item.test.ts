import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import { decodeItem, decodeItemAt, encodedLength, encodeItem, type Item } from "./item.ts";

const { item } = fc.letrec<{ item: Item; bytes: Uint8Array; list: Item[] }>((tie) => ({
  item: fc.oneof({ withCrossShrink: true, maxDepth: 4 }, tie("bytes"), tie("list")),
  bytes: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ minLength: 50, maxLength: 300 })),
  list: fc.array(tie("item"), { maxLength: 6 }),
}));
const text = (letters: string): Uint8Array => new TextEncoder().encode(letters);

describe("rlp item", () => {
  it("round-trips any item with the predicted length", () => {
    fc.assert(
      fc.property(item, (value) => {
        const bytes = encodeItem(value);
        expect(bytes.length).toBe(encodedLength(value));
        expect(decodeItem(bytes)).toEqual(value);
      }),
    );
  });

  it("accepts only the canonical encoding of an item", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        let decoded: Item;
        try {
          decoded = decodeItem(bytes);
        } catch {
          return;
        }
        expect(encodeItem(decoded)).toEqual(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, Item, string]>([
    ["dog", text("dog"), "0x83646f67"],
    ["cat and dog", [text("cat"), text("dog")], "0xc88363617483646f67"],
    ["nothing", new Uint8Array(0), "0x80"],
    ["the empty list", [], "0xc0"],
    ["zero byte", Uint8Array.of(0), "0x00"],
    ["the greatest byte that stands for itself", Uint8Array.of(0x7f), "0x7f"],
    ["the least that does not", Uint8Array.of(0x80), "0x8180"],
    ["1024", Uint8Array.of(4, 0), "0x820400"],
    ["the set theoretical three", [[], [[]], [[], [[]]]], "0xc7c0c1c0c3c0c1c0"],
    [
      "56 bytes",
      text("Lorem ipsum dolor sit amet, consectetur adipisicing elit"),
      "0xb8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164697069736963696e6720656c6974",
    ],
  ])("encodes %s like the Yellow Paper", (_, value, hex) => {
    expect(bytesToHex(encodeItem(value))).toBe(hex);
    expect(decodeItem(hexToBytes(hex))).toEqual(value);
  });

  it.each([255, 256, 65_535, 65_536, 16_777_215, 16_777_216])(
    "writes the length %i without leading zeros",
    (length) => {
      const value = new Uint8Array(length);
      const bytes = encodeItem(value);
      expect((decodeItem(bytes) as Uint8Array).length).toBe(length);
      expect(bytes[1]).not.toBe(0);
    },
  );

  it.each([
    ["0x", "EOF"],
    ["0x8100", "rlp: non-canonical size information"],
    ["0xb800", "rlp: non-canonical size information"],
    ["0xb90038", "rlp: non-canonical size information"],
    ["0x83aabb", "rlp: value size exceeds available input length"],
    ["0xbfffffffffffffffff", "rlp: value size exceeds available input length"],
    ["0xb9ff", "rlp: value size exceeds available input length"],
    ["0xc382aabbcc", "rlp: input contains more than one value"],
    ["0xc283aabb", "rlp: element is larger than containing list"],
    ["0xc1b8", "rlp: element is larger than containing list"],
    ["0x0102", "rlp: input contains more than one value"],
  ])("rejects %s with the reference's text", (hex, message) => {
    expect(() => decodeItem(hexToBytes(hex))).toThrowError(message);
  });

  it("rejects deeply nested lists instead of exhausting the stack", () => {
    let nested: Item = [];
    for (let i = 1; i < 256; i++) nested = [nested];
    expect(decodeItem(encodeItem(nested))).toEqual(nested);
    expect(() => decodeItem(encodeItem([nested]))).toThrowError(
      expect.objectContaining({ code: "RLP_SHAPE" }),
    );
  });

  it("walks concatenated items", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), (items) => {
        const stream = Uint8Array.from(items.flatMap((value) => [...encodeItem(value)]));
        const walked: Item[] = [];
        for (let offset = 0; offset < stream.length; ) {
          const next = decodeItemAt(stream, offset);
          walked.push(next.item);
          offset = next.end;
        }
        expect(walked).toEqual(items);
        expect(() => decodeItemAt(stream, stream.length)).toThrowError("EOF");
      }),
    );
  });
});
