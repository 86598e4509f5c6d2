import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allocateBytes,
  allocateKeptBytes,
  bigintToBytes,
  bigintToFixedBytes,
  bytesToBigint,
  compareBytes,
  concat,
  equalBytes,
  isZeroBytes,
  leftPad,
  numberToBytes,
  trimLeadingZeros,
} from "./bytes.ts";

const bytes = fc.uint8Array({ maxLength: 80 });
const toHex = (value: Uint8Array) => Buffer.from(value).toString("hex");

describe("bytes", () => {
  it("converts bytes of any length, or a part of them, to a number", () => {
    fc.assert(
      fc.property(bytes, fc.nat(80), fc.nat(80), (value, from, length) => {
        expect(bytesToBigint(value)).toBe(BigInt(`0x0${toHex(value)}`));
        const part = value.slice(from, from + length);
        expect(bytesToBigint(value, from, from + part.length)).toBe(BigInt(`0x0${toHex(part)}`));
      }),
      { numRuns: 300 },
    );
  });

  it("converts numbers of any size to their minimal bytes", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 600n }), fc.nat(600), (big, shift) => {
        const value = big >> BigInt(shift);
        const digits = value.toString(16);
        const expected = value === 0n ? "" : digits.padStart(digits.length + (digits.length & 1), "0");
        expect(toHex(bigintToBytes(value))).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    0n,
    1n,
    255n,
    256n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 64n - 1n,
    2n ** 64n,
    2n ** 256n - 1n,
    2n ** 256n,
  ])("round-trips %s", (value) => {
    expect(bytesToBigint(bigintToBytes(value))).toBe(value);
    if (value < 2n ** 53n) expect(numberToBytes(Number(value))).toEqual(bigintToBytes(value));
  });

  it("rejects negative numbers and numbers too large for a fixed size", () => {
    expect(() => bigintToBytes(-1n)).toThrow(RangeError);
    expect(() => bigintToFixedBytes(-1n, 4)).toThrow(RangeError);
    expect(() => bigintToFixedBytes(256n, 1)).toThrow(RangeError);
    expect(bigintToFixedBytes(255n, 2)).toEqual(Uint8Array.of(0, 255));
  });

  it("orders and compares bytes lexicographically", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(a, b)));
        expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
        expect(toHex(concat(a, b))).toBe(toHex(a) + toHex(b));
      }),
    );
  });

  it("pads and trims zeros on the left", () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const trimmed = trimLeadingZeros(value);
        expect(trimmed[0]).not.toBe(0);
        expect(leftPad(trimmed, value.length)).toEqual(value);
        expect(isZeroBytes(value)).toBe(trimmed.length === 0);
      }),
    );
    expect(() => leftPad(new Uint8Array(3), 2)).toThrow(RangeError);
  });
});

describe.each([allocateBytes, allocateKeptBytes])("%o", (allocate) => {
  it("returns zeroed bytes that do not overlap", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 20 }), (lengths) => {
        const parts = lengths.map((length) => allocate(length));
        for (const [i, part] of parts.entries()) {
          expect(isZeroBytes(part)).toBe(true);
          part.fill(i + 1);
        }
        for (const [i, part] of parts.entries()) {
          expect(part.length).toBe(lengths[i]);
          expect(part.every((byte) => byte === i + 1)).toBe(true);
        }
      }),
    );
  });
});

it("keeps long-lived memory apart from short-lived", () => {
  const kept = [0, 1, 2].map(() => {
    allocateBytes(2000);
    return allocateKeptBytes(2000).buffer;
  });
  expect(new Set(kept).size).toBeLessThanOrEqual(2);
  expect(kept).not.toContain(allocateBytes(100).buffer);
});
