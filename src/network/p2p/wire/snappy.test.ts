import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compress, decompress, decompressInSteps } from "./snappy.ts";

const MOST = 1 << 20;

describe("Snappy's block format", () => {
  it("round-trips", () => {
    const repeated = fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 400 }))
      .map(([part, times]) =>
        Uint8Array.from({ length: part.length * times }, (_, i) => part[i % part.length] as number),
      );
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 5_000 }), repeated), (text) => {
        expect(Buffer.compare(decompress(compress(text), MOST), text)).toBe(0);
      }),
    );
  });

  it("round-trips texts of every length, from one to three bytes of size", () => {
    const text = Uint8Array.from({ length: 16_500 }, (_, i) => Math.imul(i, i) >> 5);
    for (let length = 0; length < text.length; length += length < 300 || length > 16_300 ? 1 : 97) {
      const part = text.subarray(0, length);
      expect(Buffer.compare(decompress(compress(part), MOST), part), `${length} bytes`).toBe(0);
    }
  });

  it("compresses repeated bytes", () => {
    expect(compress(new Uint8Array(100_000)).length).toBeLessThan(100_000 / 20);
  });

  it("yields after each 64 KiB of input", () => {
    const literals = Buffer.from("0061".repeat(150_000), "hex"); // of one byte each
    const steps = decompressInSteps(Buffer.concat([Uint8Array.of(0xf0, 0x93, 0x09), literals]), MOST);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect([count, step.value?.length]).toEqual([4, 150_000]);
  });

  it.each([
    ["an empty input", []],
    ["a size without end", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ["a size of 4 GiB", [0x80, 0x80, 0x80, 0x80, 0x10]],
    ["more than is there", [0x0a, 0x00]],
    ["a literal beyond the end", [0x02, 0x04, 0x61]],
    ["a copy before the start", [0x05, 0x00, 0x61, 0x01, 0x02]],
    ["a copy of distance 0", [0x05, 0x00, 0x61, 0x01, 0x00]],
    ["a copy cut short", [0x05, 0x00, 0x61, 0x02, 0x01]],
    ["more text than was claimed", [0x01, 0x04, 0x61, 0x62]],
  ])("refuses %s", (_name, bytes) => {
    expect(() => decompress(Uint8Array.from(bytes), MOST)).toThrow("snappy: corrupt input");
  });

  it("rejects a claimed size above the limit before allocating", () => {
    expect(() => decompress(Uint8Array.of(0x80, 0x80, 0x80, 0x08, 0), 1_000)).toThrow("larger than 1000");
  });

  it("survives arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(decompress(bytes, MOST).length).toBeLessThanOrEqual(MOST);
        } catch (error) {
          expect(error).toHaveProperty("code", "SNAPPY");
        }
      }),
    );
  });
});
