import { describe, expect, it } from "vitest";
import { copyInOwnMemory, withRoom } from "./buffers.ts";

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
