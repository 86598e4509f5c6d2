import { expect, it } from "vitest";
import { joinText } from "../tracer.ts";
import { TextChunks } from "./text-chunks.ts";

it("returns everything written, in chunks that share no buffer", () => {
  const chunks = new TextChunks();
  let expected = "";
  for (let number = 0; number < 60_000; number++) {
    const text = `${number},`;
    chunks.reserve(text.length);
    chunks.number(number);
    chunks.comma();
    expected += text;
  }
  const long = "x".repeat(400_000);
  chunks.reserve(long.length);
  chunks.put(long);
  const pieces = chunks.chunks();
  expect(joinText(pieces)).toBe(expected + long);
  expect(pieces.length).toBeGreaterThan(2);
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(pieces.length);
  expect(chunks.chunks().reduce((sum, { length }) => sum + length, 0)).toBe(0);
});
