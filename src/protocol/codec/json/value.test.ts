import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeHtml, type Json, NumberLiteral, stringify } from "./value.ts";

const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("<&>", "\u2028", '"', "\\"),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 12 },
    fc.oneof(fc.constant(null), fc.boolean(), number, text, fc.constant(new NumberLiteral("1.0"))),
    fc.array(tie("value"), { maxLength: 80 }),
    fc.dictionary(text, tie("value"), { maxKeys: 80 }),
  ),
}));

describe("the text of a value", () => {
  it("is what V8 writes, with the reference's escapes", () => {
    fc.assert(
      fc.property(value, (json) => {
        expect(stringify(json as Json)).toBe(escapeHtml(JSON.stringify(json)));
      }),
    );
  });

  it("leaves out absent members, and writes null for absent list elements", () => {
    const holes = { a: undefined, b: [undefined, 1], c: { d: undefined } } as unknown as Json;
    expect(stringify(holes)).toBe('{"b":[null,1],"c":{}}');
  });

  it("may be nested as deeply as V8 allows", () => {
    let deep: Json = 1;
    for (let level = 0; level < 1_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    expect(stringify(deep)).toBe(JSON.stringify(deep));
  });
});
