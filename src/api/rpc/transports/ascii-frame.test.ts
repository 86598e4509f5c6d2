import { expect, it } from "vitest";
import { asciiFrame } from "./ascii-frame.ts";

it.each([
  [0, [0x81, 0]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [255, [0x81, 126, 0, 255]],
  [256, [0x81, 126, 1, 0]],
  [65_535, [0x81, 126, 255, 255]],
])("frames a text of %d characters", (length, head) => {
  const text = "a".repeat(length);
  const frame = Buffer.from(asciiFrame(text) as string, "latin1");
  expect([...frame.subarray(0, head.length)]).toEqual(head);
  expect(frame.subarray(head.length).toString()).toBe(text);
});

it.each(["a".repeat(65_536), "\u0080", "grün", "한국어", "🙂"])("leaves the rest to the library", (text) => {
  expect(asciiFrame(text)).toBeUndefined();
});
