import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InvalidParamsError } from "./errors.ts";
import { address, bytes, hash, quantity, quantity64 } from "./hex.ts";
import { list, nullable, object } from "./object.ts";
import { boolean, int, integer, string, uint64 } from "./scalars.ts";
import { defaulted, optional, required, type Schema } from "./schema.ts";
import { type Json, NumberLiteral } from "./value.ts";

function refusal(schema: Schema<unknown>, value: Json): string {
  try {
    schema.decode(value);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidParamsError);
    return (error as Error).message;
  }
  return "accepted";
}

const into = (found: string, type: string) => `json: cannot unmarshal ${found} into Go value of type ${type}`;

// Texts measured on the reference node v2.2.1.
describe("refusals", () => {
  const twenty = "11".repeat(20);
  it.each<[string, Schema<unknown>, Json, string]>([
    ["a number for an address", address, 5, into("non-string", "common.Address")],
    ["null for an address", address, null, into("non-string", "common.Address")],
    ["an address without prefix", address, twenty, into("hex string without 0x prefix", "common.Address")],
    [
      "a letter of two bytes",
      address,
      `0x${"0".repeat(39)}é`,
      into("hex string of odd length", "common.Address"),
    ],
    ["two of them", address, `0x${"0".repeat(38)}éé`, "hex string has length 42, want 40 for common.Address"],
    ["half a byte", address, "0x123", into("hex string of odd length", "common.Address")],
    ["a short address", address, "0x12", "hex string has length 2, want 40 for common.Address"],
    ["an empty address", address, "", "hex string has length 0, want 40 for common.Address"],
    ["no digits", address, `0x${"zz".repeat(20)}`, into("invalid hex string", "common.Address")],
    ["a short hash", hash, "0x12", "hex string has length 2, want 64 for common.Hash"],
    ["bytes without prefix", bytes, "hello", into("hex string without 0x prefix", "hexutil.Bytes")],
    ["a number for a quantity", quantity64, 1, into("non-string", "hexutil.Uint64")],
    ["0x alone", quantity, "0x", into('hex string "0x"', "*hexutil.Big")],
    ["a leading zero", quantity, "0x01", into("hex number with leading zero digits", "*hexutil.Big")],
    ["257 bits", quantity, `0x1${"0".repeat(64)}`, into("hex number > 256 bits", "*hexutil.Big")],
    ["65 bits", quantity64, `0x1${"0".repeat(16)}`, into("hex number > 64 bits", "hexutil.Uint64")],
    ["a number for a string", string, 1, into("number", "string")],
    ["an array for a bool", boolean, [], into("array", "bool")],
    ["a fraction for an int", int, new NumberLiteral("300.0"), into("number 300.0", "int")],
    ["a string for an int", int, "100", into("string", "int")],
    ["-0 for a uint64", uint64, new NumberLiteral("-0"), into("number -0", "uint64")],
    ["-1 for a uint64", uint64, -1, into("number -1", "uint64")],
    [
      "2^64",
      uint64,
      new NumberLiteral("18446744073709551616"),
      into("number 18446744073709551616", "uint64"),
    ],
  ])("name %s as the reference does", (_, schema, value, text) => {
    expect(refusal(schema, value)).toBe(text);
  });
});

describe("an integer", () => {
  it("of more digits than 64 bits have is not converted: millions of them would take seconds", () => {
    const converted = vi.spyOn(globalThis, "BigInt");
    onTestFinished(() => converted.mockRestore());
    const digits = "1".repeat(100);
    expect(refusal(uint64, new NumberLiteral(digits))).toBe(into(`number ${digits}`, "uint64"));
    expect(refusal(int, new NumberLiteral(`-${digits}`))).toBe(into(`number -${digits}`, "int"));
    expect(converted).not.toHaveBeenCalled();
  });
});

describe("null", () => {
  it("is the empty value of strings, numbers, booleans and lists", () => {
    expect([string, boolean, int, list(int)].map((schema) => schema.decode(null))).toEqual([
      "",
      false,
      0n,
      [],
    ]);
    expect(nullable(address).decode(null)).toBeNull();
  });
});

describe("hex", () => {
  it("round-trips bytes and quantities", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (raw, value) => {
        expect(bytes.decode(bytes.encode(raw))).toEqual(raw);
        expect(quantity.decode(quantity.encode(value))).toBe(value);
      }),
    );
  });

  it("accepts upper case, the prefix 0X and the empty string where the reference does", () => {
    expect(address.decode(`0X${"AB".repeat(20)}`)).toEqual(new Uint8Array(20).fill(0xab));
    expect(bytes.decode("")).toHaveLength(0);
    expect(quantity.decode("")).toBe(0n);
  });
});

describe("object", () => {
  const kind = integer("kind", { goType: "types.TxType", min: 0n, max: 0xffffn });
  const args = object(
    "SendTxArgs",
    {
      typeInt: optional(kind, "kind"),
      from: defaulted(address, new Uint8Array(20), "sender"),
      gas: optional(quantity64, "gas"),
    },
    { goType: "api.SendTxArgs" },
  );

  it("reads members case-insensitively, the last one wins, unknown ones are ignored", () => {
    expect(args.decode({ GAS: "0x1", toString: 1, gas: "0x2" })).toEqual({
      gas: 2n,
      from: new Uint8Array(20),
    });
    expect(args.decode({ gas: "0x2", Gas: "0x3" }).gas).toBe(3n);
  });

  it("is empty for null; null resets an optional member", () => {
    expect(args.decode(null)).toEqual({ from: new Uint8Array(20) });
    expect(args.decode({ gas: "0x1", Gas: null })).not.toHaveProperty("gas");
  });

  it("names struct, member and type of a wrong value", () => {
    expect(refusal(args, { gas: 1 })).toBe(
      "json: cannot unmarshal non-string into Go struct field SendTxArgs.gas of type hexutil.Uint64",
    );
    expect(refusal(args, { typeInt: 70000 })).toBe(
      "json: cannot unmarshal number 70000 into Go struct field SendTxArgs.typeInt of type types.TxType",
    );
    expect(refusal(args, "0x00")).toBe(into("string", "api.SendTxArgs"));
  });

  it("names the inner struct and the whole path of a nested member", () => {
    const outer = object("Outer", { inner: required(args, "inner") });
    expect(refusal(outer, { inner: { gas: true } })).toBe(
      "json: cannot unmarshal non-string into Go struct field SendTxArgs.inner.gas of type hexutil.Uint64",
    );
  });
});

describe("an object within an object", () => {
  const entry = object(
    "Entry",
    { who: required(address, ""), keys: required(list(hash, "[]common.Hash"), "") },
    { goType: "types.Entry", ownDecoder: true },
  );
  const plain = object("Plain", { r: defaulted(quantity, 0n, "") }, { goType: "types.Plain" });
  const args = object("Args", {
    size: optional(int, ""),
    entries: optional(list(entry, "types.Entries"), ""),
    plain: optional(list(plain, "types.Plains"), ""),
  });
  const field = (found: string, path: string, type: string) =>
    `json: cannot unmarshal ${found} into Go struct field ${path} of type ${type}`;

  // Measured on the reference node v2.2.1 with access lists and signatures.
  it.each<[string, Json, string]>([
    ["the array", { entries: "" }, field("string", "Args.entries", "types.Entries")],
    ["an element", { entries: [1] }, field("number", "Args.entries", "types.Entry")],
    [
      "a member, by the struct around its own decoder",
      { entries: [{ keys: 1 }] },
      field("number", "Args.entries.keys", "[]common.Hash"),
    ],
    [
      "a member, by its struct without one",
      { plain: [{ r: 1 }] },
      field("non-string", "Plain.plain.r", "*hexutil.Big"),
    ],
    ["a null member as left out", { entries: [{ who: null }] }, "missing required field 'who' for Entry"],
    ["a wrong kind when all else is right", { size: "1" }, field("string", "Args.size", "int")],
    [
      "another mistake before a wrong kind",
      { size: "1", plain: [{ r: 1 }] },
      field("non-string", "Plain.plain.r", "*hexutil.Big"),
    ],
    ["the first wrong kind", { size: "1", plain: 1 }, field("string", "Args.size", "int")],
  ])("names %s as the reference does", (_, value, text) => {
    expect(refusal(args, value)).toBe(text);
  });
});
