import { describe, expect, it } from "vitest";
import * as t from "./types.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const TEXT = "a text of at most 4096 characters, none of them a control character";
const HASH = `0x${"Ab".repeat(32)}`;

describe("a text", () => {
  it.each<[string, t.OptionType<unknown>, Record<string, unknown>]>([
    [
      "switch",
      t.boolean,
      { 1: true, TRUE: true, yes: true, on: true, 0: false, False: false, no: false, off: false, "": false },
    ],
    ["text", t.string, { "": "", " a": " a" }],
    ["path", t.path, { "/x": "/x", "a\tb": "a\tb" }],
    ["host", t.host, { "": "", "::1": "::1", "a-b.c:1": "a-b.c:1", ["h".repeat(255)]: "h".repeat(255) }],
    ["URL", t.httpUrl, { "http://h": "http://h", "https://h:1/x?y": "https://h:1/x?y" }],
    ["list", t.list, { "a, b,,": ["a", "b"], "": [] }],
    ["number", t.integer(2, 11), { 2: 2, 11: 11, "03": 3 }],
    ["port", t.port, { 0: 0, 65535: 65_535 }],
    [
      "large number",
      t.bigNumber,
      { 0: 0n, "0xfF": 255n, [`${2n ** 64n - 1n}`]: 2n ** 64n - 1n, [`0x${"0".repeat(99)}1`]: 1n },
    ],
    ["bounded number", t.bigNumberFrom(3n, 9n), { 3: 3n, "0x9": 9n }],
    ["amount", t.coins, { 0: 0n, "1.000000000000000001": 10n ** 18n + 1n, 10: 10n ** 19n }],
    ["time", t.duration, { 0: 0, "1.5": 1_500, "1h2m3s4ms": 3_723_004, "0.5m": 30_000 }],
    ["delay", t.timer(0), { 0: 0, "2147483647ms": 2 ** 31 - 1 }],
    ["hash", t.hash, { [HASH]: HASH.toLowerCase() }],
    ["word", t.oneOf("a", "b"), { a: "a", b: "b" }],
  ])("of a %s has this value, which programs may pass too", (_, type, cases) => {
    for (const [text, value] of Object.entries(cases)) {
      expect([text, type.parse(text)]).toEqual([text, value]);
      expect([text, type.accepts.test(value)]).toEqual([text, true]);
    }
  });

  it.each<[t.OptionType<unknown>, readonly string[], string]>([
    [t.boolean, ["2", "ye", "onn"], "true or false"],
    [t.string, ["a\nb", "\x7f", "x".repeat(4097)], TEXT],
    [t.path, ["", "a\0b", "x".repeat(4097)], "a path"],
    [t.host, ["a b", "h".repeat(256), "a/b"], "a host name or an IP address"],
    [t.httpUrl, ["ws://h", "h", "", "xhttp://h"], "a URL beginning with http:// or https://"],
    [t.list, ["a,b\tc", "x".repeat(4097), "x,".repeat(10_001)], "a list of texts"],
    [t.integer(2, 11), ["1", "12", "-3", "3.0", "0x3", "", "3 "], "a whole number from 2 to 11"],
    [
      t.bigNumber,
      ["", "-1", "0x", "1n", "1.5", "ff", `${2n ** 64n}`, "0".repeat(101)],
      `a number from 0 to ${2n ** 64n - 1n}`,
    ],
    [t.bigNumberFrom(3n, 9n), ["2", "10"], "a number from 3 to 9"],
    [t.coins, ["", ".5", "1.", "1.0000000000000000001", "-1", "1e3"], "an amount such as 10000 or 0.5"],
    [t.duration, ["", "5x", "m", "1 h", "-1s", "1..5s"], "a time such as 90s, 5m or 1h30m"],
    [t.timer(5, 7_000), ["4ms", "7001ms"], "a time from 5ms to 7s"],
    [t.hash, [HASH.slice(2), HASH.slice(1), `${HASH}0`], "0x and 64 hex digits"],
    [t.address, ["0x12", "ab".repeat(21), "zz".repeat(20)], "an address of 40 hex digits"],
    [t.oneOf("a", "b"), ["c", "A", ""], "one of a, b"],
  ])("that is none is refused with what is expected: %#", (type, texts, what) => {
    for (const text of texts) expect(() => type.parse(text), text).toThrow(new Error(what));
  });

  it("of an address may lack its prefix", () => {
    expect(t.address.parse("AB".repeat(20))).toBe(`0x${"ab".repeat(20)}`);
    expect(t.address.parse(`0x${"AB".repeat(20)}`)).toBe(`0x${"ab".repeat(20)}`);
  });
});

describe("a value that a program passes", () => {
  it.each<[t.OptionType<unknown>, readonly unknown[], string]>([
    [t.boolean, ["true", 1, null], "true or false"],
    [t.string, [1, null, "a\nb", "x".repeat(4097)], TEXT],
    [t.path, ["", 1], "a path"],
    [t.list, ["a", [1], ["a", 1], [""], Array(10_001).fill("x")], "a list of texts"],
    [t.integer(2, 11), [1, 12, 2.5, 3n, "3", Number.NaN], "a whole number from 2 to 11"],
    [t.integer(0, MAX), [-1, MAX + 1], `a whole number from 0 to ${MAX}`],
    [t.bigNumber, [-1n, 1, 2n ** 64n], `a bigint from 0 to ${2n ** 64n - 1n}`],
    [t.bigNumberFrom(3n, 9n), [2n, 10n, 5], "a bigint from 3 to 9"],
    [t.coins, [-1n, 10n ** 58n, 1], `a bigint from 0 to ${10n ** 58n - 1n}`],
    [t.duration, [-1, Number.NaN, Number.POSITIVE_INFINITY, "5s"], "a number of milliseconds, 0 or more"],
    [t.timer(5, 7), [4, 8, 5.5], "a whole number of milliseconds from 5 to 7"],
    [t.hash, [HASH.slice(1), new Uint8Array(32)], "0x and 64 hex digits"],
    [t.address, [new Uint8Array(19), `0x${"ab".repeat(20)}`], "an address of 20 bytes"],
    [t.oneOf("a", "b", "c"), ["d", 1], "a, b or c"],
    [t.oneOf("a"), ["b"], "a"],
  ])("is held to the bounds of the texts: %#", (type, values, what) => {
    expect(type.accepts.what).toBe(what);
    for (const value of values) expect([value, type.accepts.test(value)]).toEqual([value, false]);
  });

  it("may be a text of 4,096 characters, and a list of 10,000", () => {
    for (const type of [t.string, t.path]) expect(type.accepts.test("x".repeat(4096))).toBe(true);
    expect(t.list.accepts.test(Array(10_000).fill("x"))).toBe(true);
  });

  it("may be an amount up to the largest text, and a time with a fraction", () => {
    expect(t.coins.accepts.test(t.coins.parse(`${10n ** 40n - 1n}.${"9".repeat(18)}`))).toBe(true);
    expect(t.duration.accepts.test(0.5)).toBe(true);
    expect(t.address.accepts.test(new Uint8Array(20))).toBe(true);
  });
});
