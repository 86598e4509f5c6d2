import { expect, it } from "vitest";
import { safe } from "./paint.ts";

it.each([
  [undefined, 600],
  [4, 4],
])("cuts untrusted text, by default after 600 characters: %j", (most, kept) => {
  const text = "x".repeat(kept);
  expect(safe(text, most)).toBe(text);
  expect(safe(`${text}y`, most)).toBe(`${text}…`);
});
