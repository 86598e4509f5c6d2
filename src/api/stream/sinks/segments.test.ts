import fc from "fast-check";
import { expect, it } from "vitest";
import { partitionOf } from "./key-partition.ts";
import { segmentHeaders, segmentsOf } from "./segments.ts";

it("cuts any message into segments that join to the same message", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.integer({ min: 1, max: 120 }), (value, size) => {
      const segments = segmentsOf(value, size);
      expect(Buffer.concat(segments.map(({ bytes }) => bytes)).equals(Buffer.from(value))).toBe(true);
      expect(segments.map(({ index }) => index)).toEqual(segments.map((_, i) => i));
      for (const { bytes, total } of segments) {
        expect(bytes.length).toBeLessThanOrEqual(size);
        expect(total).toBe(segments.length);
      }
    }),
  );
});

it("writes headers as the reference's consumer expects them", () => {
  const segment = { index: 2, total: 258, bytes: new Uint8Array() };
  const shown = (version: "1.0" | undefined) =>
    segmentHeaders(segment, { id: "producer-1", version }).map(
      ([name, value]) => `${name}=${value.toString("hex")}`,
    );
  expect(shown(undefined)).toEqual(["totalSegments=0000000000000102", "segmentIdx=0000000000000002"]);
  expect(shown("1.0").slice(2)).toEqual(["version=312e30", "producerId=70726f64756365722d31"]);
});

it("hashes keys by FNV-1a, as in published test vectors", () => {
  // FNV-1a-32 of "a" is e40c292c, of "foobar" bf9cf968: negative as signed numbers.
  expect(partitionOf(Buffer.from("a"), 7)).toBe(Math.abs((0xe40c292c | 0) % 7));
  expect(partitionOf(Buffer.from("foobar"), 12)).toBe(Math.abs((0xbf9cf968 | 0) % 12));
  expect(partitionOf(Buffer.from("a"), 1)).toBe(0);
});
