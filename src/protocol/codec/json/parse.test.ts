import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInexact, parseJson, readExactly } from "./parse.ts";
import { Scanner } from "./scanner.ts";
import { NumberLiteral, numberText, stringify } from "./value.ts";

const plain = (parsed: ReturnType<typeof parseJson>) =>
  JSON.parse(JSON.stringify("value" in parsed ? parsed.value : parsed));

describe("parseJson", () => {
  it("reads what JSON.stringify writes, on both paths", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
        expect(plain(readExactly(` ${text} `))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(["1.0", "1e3", "-0", "123456789012345678901234567890", "0.10"])(
    "keeps the number %s as written",
    (text) => {
      const parsed = parseJson(`{"a":${text}}`) as { value: { a: NumberLiteral } };
      expect(parsed.value.a).toBeInstanceOf(NumberLiteral);
      expect(numberText(parsed.value.a)).toBe(text);
    },
  );

  it("reads 10,000 levels and rejects more, as the reference does", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    for (const read of [parseJson, readExactly]) {
      expect(read(nested(10_000))).toHaveProperty("value");
      expect(read(nested(10_001))).toEqual({ syntaxError: "invalid character '[' exceeded max depth" });
    }
  });

  it("reads texts with more brackets than the level limit, and brackets in strings", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("[", "{", "]", '"', "\\\\", "a") })),
        (strings) => {
          const wide = [
            ...Array.from({ length: 10_001 }, () => []),
            ...strings.map((text) => ({ [text]: text })),
          ];
          const text = JSON.stringify(wide);
          expect(plain(parseJson(text))).toEqual(wide);
          const cut = text.slice(0, text.lastIndexOf('"') < 0 ? -1 : text.lastIndexOf('"'));
          expect(parseJson(cut)).toEqual(readExactly(cut));
          const deep = `${text.slice(0, -1)},${"[".repeat(10_001)}`;
          expect(parseJson(deep)).toEqual(readExactly(deep));
        },
      ),
      { numRuns: 20 },
    );
  });

  it("finds what a double would change beside long strings, and nothing in them", () => {
    const digits = "1".repeat(20_000);
    for (const [text, isFound] of [
      [`["${digits}","x",[1,0x]]`, false],
      [`{"a":"${digits},-1:-1","b":[0]}`, false],
      [`{"a":"${digits}","b":-1}`, true],
      [`{"a":"${digits}","b":"${digits}","c":1e3}`, true],
      [`{"a":-1,"b":"${digits}"}`, true],
      [`{"id":"${digits}\\u0061"}`, true],
      [`{"a":"${digits}\\",","b":-1}`, true],
      [`["${digits}`, false],
    ] as const)
      expect([text.slice(-30), isInexact(text)]).toEqual([text.slice(-30), isFound]);
  });

  it("reads the first value and ignores the rest", () => {
    expect(parseJson('{"a":1}xyz')).toMatchObject({ value: { a: 1 } });
    expect(parseJson("[1][2]")).toMatchObject({ value: [1] });
  });

  it("uses the last of repeated members and keeps the source text of ids", () => {
    const parsed = readExactly('{"id":1,"x":0,"ID":2,"id":"\\u0061"}');
    if (!("value" in parsed)) throw new Error(parsed.syntaxError);
    expect(Object.keys(parsed.value as object)).toEqual(["x", "ID", "id"]);
    expect(parsed.idTexts?.get(parsed.value as object)).toBe('"\\u0061"');
  });

  // Texts of Go's encoding/json, which the reference node sends over WebSocket and IPC.
  it.each([
    ["{foo", "invalid character 'f' looking for beginning of object key string"],
    ["foo", "invalid character 'o' in literal false (expecting 'a')"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["[01]", "invalid character '1' after array element"],
    ["[1.x]", "invalid character 'x' after decimal point in numeric literal"],
    ["[-x]", "invalid character 'x' in numeric literal"],
    ["[1e]", "invalid character ']' in exponent of numeric literal"],
    ['["\\x"]', "invalid character 'x' in string escape code"],
    ['["\\u12g4"]', "invalid character 'g' in \\u hexadecimal character escape"],
    ['["\n"]', "invalid character '\\n' in string literal"],
    ['["\u0001"]', "invalid character '\\x01' in string literal"],
    ["\u{1f600}", "invalid character '\u00f0' looking for beginning of value"],
    ["\\", "invalid character '\\\\' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['{"a":', "unexpected EOF"],
  ])("rejects %s with the reference's text", (text, syntaxError) => {
    expect(parseJson(text)).toEqual({ syntaxError });
  });
});

describe("Scanner", () => {
  it("finds the same end however the text is split", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.nat(40)), (value, cuts) => {
        const text = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
        const scanner = new Scanner();
        let at = 0;
        for (const cut of [...cuts, text.length]) {
          const piece = text.subarray(at, at + cut);
          const scan = scanner.scan(piece);
          if (scan.status === "complete") {
            expect(at + scan.end).toBe(text.length - 1);
            return;
          }
          expect(scan.status).toBe("incomplete");
          at += piece.length;
        }
        expect.unreachable();
      }),
    );
  });
});

describe("stringify", () => {
  it("writes <, >, & and line separators as the reference does, and stays JSON", () => {
    expect(stringify("<a&b>\u2028")).toBe('"\\u003ca\\u0026b\\u003e\\u2028"');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(stringify(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
