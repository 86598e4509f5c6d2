import { describe, expect, it } from "vitest";
import { copyInOwnMemory, MappedCopies, mappedBuffer, withRoom } from "./buffers.ts";

it("copies bytes into memory of just their length", () => {
  const bytes = Buffer.from("head and body").subarray(0, 4);
  const copy = copyInOwnMemory(bytes);
  bytes.fill(0);
  expect([copy.toString(), copy.buffer.byteLength]).toEqual(["head", 4]);
});

describe("room", () => {
  it("is that of the same buffer while it is long enough", () => {
    const buffer = Buffer.alloc(10);
    expect(withRoom(buffer, 5, 10)).toBe(buffer);
  });

  it("is made by a buffer of twice the length with what was in use, or of what is needed if that is more", () => {
    const buffer = Buffer.alloc(5000, "a");
    const larger = withRoom(buffer, 3, 5001);
    expect([larger.length, larger.toString("latin1", 0, 3)]).toEqual([10_000, "aaa"]);
    expect(withRoom(buffer, 3, 20_000).length).toBe(20_000);
  });

  it("begins with four kilobytes", () => {
    expect(withRoom(Buffer.alloc(0), 0, 1).length).toBe(4096);
  });
});

describe("mapped memory", () => {
  it("is that of an array buffer that could grow, and zero", () => {
    const bytes = mappedBuffer(5);
    expect([bytes.buffer, [...bytes]]).toEqual([
      expect.objectContaining({ resizable: true }),
      [0, 0, 0, 0, 0],
    ]);
  });

  it("takes copies one after the other, in buffers of 128 KiB or of what a longer one needs", () => {
    const copies = new MappedCopies();
    const [a, b] = [copies.copy(Buffer.from("ab")), copies.copy(Buffer.from("cde"))];
    expect([String(a), String(b), a.buffer === b.buffer, b.byteOffset]).toEqual(["ab", "cde", true, 2]);
    expect(a.buffer.byteLength).toBe(128 * 1024);
    const long = copies.copy(Buffer.alloc(200_000, 7));
    expect([long.length, long.buffer.byteLength, long[199_999]]).toEqual([200_000, 200_000, 7]);
  });
});
