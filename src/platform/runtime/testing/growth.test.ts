import { expect, it } from "vitest";
import { growth } from "./growth.ts";

it("tells quadratic work from linear", () => {
  const text = "x".repeat(6_000);
  const once = (length: number): number => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += text.charCodeAt(i);
    return sum;
  };
  const again = (length: number): void => {
    for (let i = 0; i < length; i++) once(length);
  };
  expect(growth(once, text.length)).toBeLessThan(10);
  expect(growth(again, text.length)).toBeGreaterThan(10);
});
