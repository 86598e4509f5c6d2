import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../primitives/hex.ts";
import { decodeAbi } from "./decode.ts";
import { encodeAbi } from "./encode.ts";
import { readParameters } from "./types.ts";

const typed = (...types: string[]) => readParameters(types.map((type) => ({ type })));
const bytes = (...values: number[]) => Uint8Array.from(values);
const hex = (types: string[], values: Parameters<typeof encodeAbi>[1]) =>
  bytesToHex(encodeAbi(typed(...types), values)).slice(2);
const word = (digits: string) => digits.padStart(64, "0");
const left = (digits: string) => digits.padEnd(64, "0");

describe("encoding of arguments", () => {
  it("equals the examples in Solidity's specification", () => {
    expect(hex(["uint32", "bool"], [69n, true])).toBe(word("45") + word("1"));
    expect(hex(["bool"], [false])).toBe(word("0"));
    expect(hex(["function"], [new Uint8Array(24).fill(0xab)])).toBe(left("ab".repeat(24)));
    expect(hex(["bytes", "bool", "uint256[]"], [new TextEncoder().encode("dave"), true, [1n, 2n, 3n]])).toBe(
      [
        ...[word("60"), word("1"), word("a0"), word("4"), left("64617665")],
        ...[word("3"), word("1"), word("2"), word("3")],
      ].join(""),
    );
    expect(hex(["bytes3[2]"], [[bytes(0x61, 0x62, 0x63), bytes(0x64, 0x65, 0x66)]])).toBe(
      left("616263") + left("646566"),
    );
  });

  it("decodes to what was encoded", () => {
    const parameters = readParameters([
      { type: "int64" },
      { type: "string" },
      { type: "address" },
      {
        type: "tuple[]",
        components: [{ type: "bytes" }, { type: "uint8[2]" }],
      },
    ]);
    const values = fc.tuple(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.string(),
      fc.uint8Array({ minLength: 20, maxLength: 20 }),
      fc.array(
        fc.tuple(
          fc.uint8Array({ maxLength: 70 }),
          fc.array(fc.bigInt(0n, 255n), { minLength: 2, maxLength: 2 }),
        ),
        { maxLength: 3 },
      ),
    );
    fc.assert(
      fc.property(values, (given) => {
        expect(decodeAbi(parameters, encodeAbi(parameters, given))).toEqual(given);
      }),
    );
  });

  it.each<[string, string[], Parameters<typeof encodeAbi>[1]]>([
    ["too many values", ["bool"], [true, true]],
    ["too few values", ["bool"], []],
    ["a number out of range", ["uint8"], [256n]],
    ["a negative number", ["uint8"], [-1n]],
    ["a number below the least", ["int8"], [-129n]],
    ["an address of 19 bytes", ["address"], [new Uint8Array(19)]],
    ["a list of another length", ["bool[2]"], [[true]]],
  ])("refuses %s", (_, types, values) => {
    expect(() => encodeAbi(typed(...types), values)).toThrow("wrong values for the contract ABI");
  });
});
