import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToBytes } from "../../primitives/bytes.ts";
import { hexToBytes } from "../../primitives/hex.ts";
import { encodeItem, type Item } from "./item.ts";
import { RlpReader } from "./reader.ts";

const over = (hex: string) => new RlpReader(hexToBytes(hex));

/** Reads whatever comes as an item, by the reader's own means. */
function readItem(reader: RlpReader): Item {
  if (!reader.isList()) return reader.bytes();
  const items: Item[] = [];
  reader.enterList("list");
  while (!reader.atEnd) items.push(readItem(reader));
  reader.leaveList();
  return items;
}

describe("RlpReader", () => {
  it("reads every item that can be encoded", () => {
    const { item } = fc.letrec<{ item: Item }>((tie) => ({
      item: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array({ maxLength: 70 }),
        fc.array(tie("item"), { maxLength: 5 }),
      ),
    }));
    fc.assert(
      fc.property(item, (value) => {
        const reader = new RlpReader(encodeItem(value));
        expect(readItem(reader)).toEqual(value);
        reader.finish();
      }),
    );
  });

  it("reads numbers, booleans and raw items of a list", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.nat(255), fc.boolean(), (big, small, truth) => {
        const inner = [Uint8Array.of(9), []];
        const bytes = encodeItem([
          bigintToBytes(big),
          bigintToBytes(BigInt(small)),
          truth ? Uint8Array.of(1) : new Uint8Array(0),
          inner,
        ]);
        const reader = new RlpReader(bytes);
        reader.enterList("test");
        expect([reader.uint(), reader.number(), reader.bool()]).toEqual([big, small, truth]);
        expect(reader.raw()).toEqual(encodeItem(inner));
        reader.leaveList();
        reader.finish();
        expect(reader.position).toBe(bytes.length);
      }),
    );
  });

  it.each<[string, string, (reader: RlpReader) => unknown]>([
    ["0x", "EOF", (r) => r.bytes()],
    ["0xc0", "rlp: expected input string or byte for []uint8", (r) => r.bytes()],
    ["0x80", "rlp: expected input list for T", (r) => r.enterList("T")],
    ["0x05", "rlp: expected input list for T", (r) => r.enterList("T")],
    ["0x8105", "rlp: non-canonical size information for uint64", (r) => r.uint("uint64", 8)],
    ["0x00", "rlp: non-canonical integer (leading zero bytes) for uint64", (r) => r.uint("uint64", 8)],
    ["0x820001", "rlp: non-canonical integer (leading zero bytes) for *big.Int", (r) => r.uint()],
    ["0x89ffffffffffffffffff", "rlp: input string too long for uint64", (r) => r.uint("uint64", 8)],
    ["0x820100", "rlp: input string too long for uint8", (r) => r.number()],
    ["0x02", "rlp: invalid boolean value: 2", (r) => r.bool()],
    ["0x82aabb", "rlp: input string too short for common.Address", (r) => r.fixed(20, "common.Address")],
    ["0x82aabb", "rlp: input string too long for [1]uint8", (r) => r.fixed(1, "[1]uint8")],
    ["0x83aabb", "rlp: value size exceeds available input length", (r) => r.raw()],
    ["0x83aabb", "rlp: value size exceeds available input length", (r) => r.bytes()],
    ["0x05", "unexpected EOF", (r) => r.isListAfterNext()],
  ])("rejects %s: %s", (hex, message, read) => {
    expect(() => read(over(hex))).toThrowError(expect.objectContaining({ message }));
  });

  it("looks past the next value without reading it", () => {
    const reader = over("0xc305c07f");
    reader.enterList("T");
    expect([reader.isListAfterNext(), reader.isList(), reader.position]).toEqual([true, false, 1]);
    reader.skip();
    expect([reader.isListAfterNext(), reader.isList(), reader.position]).toEqual([false, true, 2]);
  });

  it("returns encoded values, skips them, and returns the skipped bytes", () => {
    const bytes = hexToBytes("0x057f8081ffc2c10183aabbcc");
    const reader = new RlpReader(bytes, 1);
    reader.skip();
    expect([reader.position, reader.raw(), reader.position]).toEqual([2, Uint8Array.of(0x80), 3]);
    reader.skip();
    expect(reader.raw()).toEqual(Uint8Array.of(0xc2, 0xc1, 1));
    const { position } = reader;
    reader.skip();
    reader.finish();
    expect(reader.slice(0, 2)).toEqual(Uint8Array.of(5, 0x7f));
    expect(reader.slice(position, reader.position)).toEqual(hexToBytes("0x83aabbcc"));
    expect(new RlpReader(bytes).raw()).toEqual(Uint8Array.of(5));
  });

  it("names the list that has too few or too many elements", () => {
    const reader = over("0xc4c1010203");
    reader.enterList("Outer");
    reader.enterList("Inner");
    reader.bytes();
    expect(() => reader.bytes()).toThrowError("rlp: too few elements for Inner");
    reader.leaveList();
    reader.bytes();
    expect(() => reader.leaveList()).toThrowError("rlp: input list has too many elements for Outer");
  });

  it("lets an inner list exceed the outer one by its header, which then has too many elements, as the reference does", () => {
    const reader = over("0xc2c20102");
    reader.enterList("Outer");
    reader.enterList("Inner");
    expect([reader.number(), reader.number()]).toEqual([1, 2]);
    reader.leaveList();
    expect(reader.atEnd).toBe(false);
    expect(() => reader.bytes()).toThrowError("rlp: value size exceeds available input length");
    expect(() => reader.leaveList()).toThrowError("rlp: input list has too many elements for Outer");
    const string = over("0xc282aabb");
    string.enterList("T");
    expect(() => string.number("uint8")).toThrowError("rlp: input string too long for uint8");
    expect(() => string.bytes()).toThrowError("rlp: element is larger than containing list");
    expect(() => string.skip()).toThrowError("rlp: element is larger than containing list");
  });

  it("does not read beyond the current list", () => {
    const reader = over("0xc483aabbccdd");
    reader.enterList("T");
    reader.bytes();
    reader.leaveList();
    expect(() => reader.finish()).toThrowError("rlp: input contains more than one value");
    const short = over("0xc283aabbcc");
    short.enterList("T");
    expect(() => short.bytes()).toThrowError("rlp: element is larger than containing list");
  });
});
