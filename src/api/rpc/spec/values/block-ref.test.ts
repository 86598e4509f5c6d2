import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Json, NumberLiteral } from "../../../../protocol/codec/json/value.ts";
import { blockNumber, blockRef } from "./block-ref.ts";

function refusal(value: Json): string {
  try {
    blockRef.decode(value);
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
}

// Measured on the reference node v2.2.1.
describe("a block number", () => {
  it("of more digits than 64 bits have is not converted: millions of them would take seconds", () => {
    const converted = vi.spyOn(globalThis, "BigInt");
    onTestFinished(() => converted.mockRestore());
    expect(refusal({ blockNumber: new NumberLiteral("1".repeat(100)) })).not.toBe("accepted");
    expect(refusal(new NumberLiteral("1".repeat(100)))).not.toBe("accepted");
    expect(converted).not.toHaveBeenCalled();
  });

  it.each([
    ["18446744073709551615", "latest"],
    ["18446744073709551614", "pending"],
    ["18446744073709551613", -3n],
    ["9223372036854775808", -(2n ** 63n)],
  ])("as the integer %s wraps to 64 signed bits", (text, number) => {
    expect(blockNumber.decode(new NumberLiteral(text))).toBe(number);
    expect(blockRef.decode({ blockNumber: new NumberLiteral(text) })).toEqual({ number });
  });

  it.each([
    [`0x${"z".repeat(80)}`, "invalid hex string"],
    [`0x${"f".repeat(16)}z`, "invalid hex string"],
    [`0x${"f".repeat(17)}z`, "hex number > 64 bits"],
    ["0x0z", "hex number with leading zero digits"],
    ["0xffffffffffffffff", "blocknumber too high"],
  ])("as the text %s is read up to its first error", (text, reason) => {
    expect(refusal(text)).toBe(reason);
  });
});
