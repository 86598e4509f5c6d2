import { describe, expect, it } from "vitest";
import { unescaped } from "./unescape.ts";

const encoder = new TextEncoder();
const read = (inside: string) => unescaped(encoder.encode(inside));
const escaped = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`;
/** The first and last characters that take one, two, three and four bytes. */
const CODES = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff];

describe("the contents of a JSON string", () => {
  it.each(CODES)("with the character U+%x are its UTF-8, however it is written", (code) => {
    const character = String.fromCodePoint(code);
    const units = character.split("").map((unit) => escaped(unit.charCodeAt(0)));
    const expected = encoder.encode(`<${character}>`);
    expect(read(`<${units.join("")}>`)).toEqual(expected);
    expect(read(`<${units.join("").toUpperCase().replaceAll("\\U", "\\u")}>`)).toEqual(expected);
    if (code >= 0x20) expect(read(`<${character}>`)).toEqual(expected);
  });

  it("may have each of the short escapes", () => {
    const inside = '\\"\\\\\\/\\b\\f\\n\\r\\t';
    expect(read(inside)).toEqual(encoder.encode(JSON.parse(`"${inside}"`)));
  });

  it.each([
    [[0xd800], "\ufffd"],
    [[0xdfff], "\ufffd"],
    [[0xd800, 0x41], "\ufffdA"],
    [[0xd800, 0xd800, 0xdc00], "\ufffd\u{10000}"],
    [[0xdc00, 0xd800], "\ufffd\ufffd"],
    [[0xdbff, 0xe000], "\ufffd\ue000"],
  ])("have U+FFFD in place of half a pair: %j", (units, expected) => {
    expect(read(units.map(escaped).join(""))).toEqual(encoder.encode(expected));
  });

  it.each(["\\", "\\x", "\\u", "\\u12", "\\u12g4", "a\n", "\u001f"])("are not %j", (inside) => {
    expect(read(inside)).toBeUndefined();
  });

  it("are no other bytes than UTF-8", () => {
    expect(unescaped(Uint8Array.of(0x61, 0xff))).toBeUndefined();
  });
});
