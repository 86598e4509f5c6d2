import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSync } from "../../../../platform/runtime/turns/pace.ts";
import { type Json, NumberLiteral, stringify } from "../../../../protocol/codec/json/value.ts";
import { valueText } from "./value-text.ts";

const textOf = (value: Json, isExact = false) => String(runSync(valueText(value, isExact)).text);

describe("the text of a value of any size", () => {
  it("is the same as in one piece", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isExact) => {
        expect(textOf(value as Json, isExact)).toBe(stringify(value as Json));
      }),
    );
  });

  it("has whole numbers with all digits where the method has any", () => {
    const value = { a: [new NumberLiteral("12345678901234567890"), new NumberLiteral("1e400"), "<"] };
    expect(textOf(value, true)).toBe('{"a":[12345678901234567890,null,"\\u003c"]}');
    expect(textOf(value)).toBe('{"a":[12345678901234567000,null,"\\u003c"]}');
  });

  it("is written in steps, and without recursion", () => {
    let deep: Json = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(textOf(deep)).toBe("[".repeat(100_001) + "]".repeat(100_001));
    const steps = valueText(Array.from({ length: 10_000 }, (_, i) => ({ i })));
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThan(200);
  });
});
