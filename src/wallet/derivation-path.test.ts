import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDerivationPath, HARDENED, parseDerivationPath } from "./derivation-path.ts";

describe("a derivation path", () => {
  it("round-trips absolute paths", () => {
    const index = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(fc.array(index, { minLength: 1, maxLength: 8 }), (path) => {
        expect(parseDerivationPath(formatDerivationPath(path))).toEqual(path);
      }),
    );
  });

  it.each([
    ["m/44'/8217'/0'/0/0", "m/44'/8217'/0'/0/0"],
    ["3", "m/44'/8217'/0'/0/3"],
    ["0'/1", "m/44'/8217'/0'/0/0'/1"],
    [" m / 44 ' / 0x3c' / 010 / 0b11 / 0o17 / 1_0", "m/44'/60'/8/3/15/10"],
    ["m/4294967295", `m/${2 ** 31 - 1}'`],
    ["m/+1", "m/1"],
  ])("reads %s", (text, path) => {
    expect(formatDerivationPath(parseDerivationPath(text))).toBe(path);
  });

  it("marks hardened components in the highest bit", () => {
    expect(parseDerivationPath("m/0'")).toEqual([HARDENED]);
  });

  it.each([
    ["m", "empty derivation path"],
    ["", "ambiguous path: use 'm/' prefix for absolute paths, or no leading '/' for relative ones"],
    ["/44", "ambiguous path: use 'm/' prefix for absolute paths, or no leading '/' for relative ones"],
    [`m${"/1".repeat(500)}`, "derivation path longer than 1000 characters"],
    ["m/44/x", "invalid component: x"],
    ["m/", "invalid component: "],
    ["m/08", "invalid component: 08"],
    ["m/1__0", "invalid component: 1__0"],
    ["m/-1", "component -1 out of allowed range [0, 4294967295]"],
    ["m/4294967296", "component 4294967296 out of allowed range [0, 4294967295]"],
    ["m/2147483648'", "component 2147483648 out of allowed hardened range [0, 2147483647]"],
  ])("rejects %s with the reference's text", (text, message) => {
    expect(() => parseDerivationPath(text)).toThrowError(
      expect.objectContaining({ code: "DERIVATION_PATH", message }),
    );
  });
});
