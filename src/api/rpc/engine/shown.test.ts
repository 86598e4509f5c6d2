import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shown, shownIfPublic } from "./shown.ts";

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

describe("shownIfPublic", () => {
  it.each([
    [5, "5"],
    [true, "true"],
    ["0x12", '"0x12"'],
    [`0x${"12".repeat(20)}`, `"0x${"12".repeat(20)}"`],
    [`0x${"12".repeat(32)}`, "another text"],
    ["12".repeat(32), "another text"],
    ["open sesame", "another text"],
    [["open sesame"], "an array"],
    [{ "open sesame": 1 }, "an object"],
  ])("shows of %j only %s", (value, expected) => expect(shownIfPublic(value)).toBe(expected));
});
