import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shown } from "./shown.ts";

describe("shown", () => {
  it("is the JSON text, whole or its beginning", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const whole = JSON.stringify(value);
        const text = shown(value);
        if (whole.length <= 80) expect(text).toBe(whole);
        else expect(text).toBe(`${whole.slice(0, 77)}...`);
      }),
    );
  });

  it("costs no stack for values of any depth", () => {
    let value: unknown = [];
    for (let i = 0; i < 100_000; i++) value = [value];
    expect(shown(value)).toBe(`${"[".repeat(77)}...`);
  });
});
