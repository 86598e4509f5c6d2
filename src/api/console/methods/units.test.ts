import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromSmallest, toSmallest } from "./units.ts";

// Values recorded on the consoles of Klaytn v1.12.1 and Kaia v2.2.1.
describe("unit helpers", () => {
  it.each([
    ["1", "KLAY", "1000000000000000000"],
    ["1.5", "ston", "1500000000"],
    ["1", "KAIA", "1000000000000000000"],
    ["1.5", "gkei", "1500000000"],
    ["0x10", "kei", "16"],
    ["-0.5", "kpeb", "-500"],
    ["1e3", "KAIA", "1000000000000000000000"],
  ])("%s %s are %s of the smallest unit", (amount, unit, expected) => {
    expect(toSmallest(amount, unit)).toBe(expected);
  });

  it.each([
    ["1500000000", "ston", "1.5"],
    ["1", "KAIA", "0.000000000000000001"],
    [10n ** 22n, "KLAY", "10000"],
    ["0", "KAIA", "0"],
    [1e21, "KAIA", "1000"],
  ])("%s of the smallest unit in %s are %s", (amount, unit, expected) => {
    expect(fromSmallest(amount, unit)).toBe(expected);
  });

  it("round-trip without loss", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n }), (amount) => {
        expect(BigInt(toSmallest(fromSmallest(amount)))).toBe(amount);
      }),
    );
  });

  it("refuse unknown units and fractions of the smallest one", () => {
    expect(() => toSmallest(1, "bogus")).toThrow(
      "This unit doesn't exist, please use one of the following units",
    );
    expect(() => toSmallest("0.5", "peb")).toThrow("more than 0 decimal places");
    expect(() => toSmallest("1,5")).toThrow("1,5 is not a number");
  });
});
