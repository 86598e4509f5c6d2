import { expect, it } from "vitest";
import { safe } from "./paint.ts";

it.each([
  [undefined, 600],
  [4, 4],
])("cuts untrusted text, by default after 600 characters: %j", (max, kept) => {
  const text = "x".repeat(kept);
  expect(safe(text, max)).toBe(text);
  expect(safe(`${text}y`, max)).toBe(`${text}…`);
});
