import { describe, expect, it } from "vitest";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { rulesAt } from "../testing/run-code.ts";
import * as tables from "./gas-independent.ts";
import { kaiaRuleSet } from "./kaia-rules.ts";

const { opcodes } = kaiaRuleSet(rulesAt("osaka"));
const isGasIndependent = (code: Uint8Array) => tables.isGasIndependent(code, opcodes);

describe("code", () => {
  it.each(["0x", "0x60015f5500", "0x7fff", "0x5bfe", "0x6001600055a0"])(
    "%s does not depend on gas",
    (code) => {
      expect(isGasIndependent(hexToBytes(code))).toBe(true);
    },
  );

  it.each(["5a", "f0", "f1", "f2", "f4", "f5", "fa"])(
    "with 0x%s depends on gas, unless that byte is push data",
    (op) => {
      expect(isGasIndependent(hexToBytes(`0x5f${op}`))).toBe(false);
      expect(isGasIndependent(hexToBytes(`0x60${op}00`))).toBe(true);
      expect(isGasIndependent(hexToBytes(`0x6000${op}`))).toBe(false);
      expect(isGasIndependent(hexToBytes(`0x7f${"00".repeat(31)}${op}00`))).toBe(true);
      expect(isGasIndependent(hexToBytes(`0x7f${"00".repeat(32)}${op}`))).toBe(false);
      expect(isGasIndependent(hexToBytes(`0x5f${op === "5a" ? "59" : "f3"}`))).toBe(true);
    },
  );

  it("of a delegated account may depend on gas", () => {
    expect(isGasIndependent(hexToBytes(`0xef0100${"00".repeat(20)}`))).toBe(false);
  });
});
