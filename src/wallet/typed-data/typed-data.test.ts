import { describe, expect, it } from "vitest";
import type { Json } from "../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { typedDataHash } from "./typed-data.ts";

const person = [
  { name: "name", type: "string" },
  { name: "wallet", type: "address" },
];
/** The example of EIP-712. */
const mail = {
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    Person: person,
    Mail: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person" },
      { name: "contents", type: "string" },
    ],
  },
  primaryType: "Mail",
  domain: {
    name: "Ether Mail",
    version: "1",
    chainId: 1,
    verifyingContract: `0x${"Cc".repeat(20)}`,
  },
  message: {
    from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
    to: { name: "Bob", wallet: `0x${"bB".repeat(20)}` },
    contents: "Hello, Bob!",
  },
};

const hashOf = (data: unknown) => bytesToHex(typedDataHash(data as Json));
const thing = (type: string, value: unknown) => ({
  types: { Thing: [{ name: "value", type }] },
  primaryType: "Thing",
  domain: {},
  message: { value },
});

describe("the hash of typed data", () => {
  it("equals EIP-712's example, whether or not the domain type is declared", () => {
    const hash = "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2";
    expect(hashOf(mail)).toBe(hash);
    const { EIP712Domain: _, ...types } = mail.types;
    expect(hashOf({ ...mail, types })).toBe(hash);
  });

  it("accepts a number as JSON, digits or hex", () => {
    const hashes = [7, "7", "0x7", "0x07"].map((value) => hashOf(thing("uint8", value)));
    expect(new Set(hashes).size).toBe(1);
    expect(hashOf(thing("int8", -1))).not.toBe(hashOf(thing("int8", 1)));
  });

  it("supports recursive types", () => {
    const types = {
      Node: [
        { name: "value", type: "uint256" },
        { name: "next", type: "Node" },
      ],
    };
    const list = (next: unknown) => ({ types, primaryType: "Node", message: { value: 1, next } });
    expect(hashOf(list(null))).not.toBe(hashOf(list({ value: 2, next: null })));
  });
});

describe("invalid typed data is rejected with its location", () => {
  it.each<[string, unknown, string]>([
    ["uint8", 256, "Thing.value is not a valid uint8"],
    ["uint8", -1, "Thing.value is not a valid uint8"],
    ["int8", 128, "Thing.value is not a valid int8"],
    ["uint7", 1, "type uint7 of Thing.value is not declared"],
    ["bytes4", "0x0102", "Thing.value is not a valid bytes4"],
    ["bytes33", "0x", "type bytes33 of Thing.value is not declared"],
    ["address", "0x01", "Thing.value is not a valid address"],
    ["bool", "true", "Thing.value is not a valid bool"],
    ["string", 1, "Thing.value is not a valid string"],
    ["uint256[2]", [1], "Thing.value must have 2 elements, not 1"],
    ["uint256[2][]", [[1, 2], [3]], "Thing.value[1] must have 2 elements, not 1"],
    ["uint256[", 1, "an array type is malformed"],
    ["Unknown", {}, "type Unknown of Thing.value is not declared"],
    ["string", undefined, "Thing.value is missing"],
  ])("%s %j", (type, value, text) => {
    expect(() => hashOf(thing(type, value))).toThrowError(text);
  });

  it("if its shape is wrong, and before it takes long", () => {
    expect(() => hashOf([])).toThrowError("must be an object");
    expect(() => hashOf({ ...mail, primaryType: "Nothing" })).toThrowError("type Nothing is not declared");
    expect(() => hashOf({ ...mail, types: { A: [{ name: "b c", type: "uint8" }] } })).toThrowError(
      "identifier",
    );
    const many = { A: Array.from({ length: 2001 }, (_, i) => ({ name: `m${i}`, type: "uint8" })) };
    expect(() => hashOf({ ...mail, types: many })).toThrowError("more than 2000 members");
    let deep: unknown = 1;
    for (let i = 0; i < 200; i++) deep = { next: deep };
    const types = { Deep: [{ name: "next", type: "Deep" }] };
    expect(() => hashOf({ types, primaryType: "Deep", message: deep })).toThrowError("nested too deeply");
    expect(() => hashOf(thing(`uint8${"[]".repeat(40)}`, []))).toThrowError("too many dimensions");
    const long = Array.from({ length: 400_000 }, () => 1);
    expect(() => hashOf(thing("uint8[]", long))).toThrowError("more than 4096 parts");
  });
});
