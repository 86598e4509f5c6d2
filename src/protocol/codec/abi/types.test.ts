import { describe, expect, it } from "vitest";
import { readParameters, readType, signatureText, typeName } from "./types.ts";

const refusal = (text: string) => ({ code: "ABI_TYPE", message: `no type of the contract ABI: ${text}` });

describe("the name of a type", () => {
  it.each([
    "uint8",
    "int256",
    "bytes1",
    "bytes32",
    "bool",
    "address",
    "string",
    "bytes",
    "function",
    "uint256[2][]",
  ])("%s is read as written", (text) => expect(typeName(readType(text))).toBe(text));

  it.each([
    ["uint", "uint256"],
    ["int[3]", "int256[3]"],
  ])("%s stands for %s", (short, long) => expect(typeName(readType(short))).toBe(long));

  it.each([
    "",
    "]",
    "uint7",
    "uint0",
    "uint264",
    "int-8",
    "bytes0",
    "bytes33",
    "byte",
    "uint8[x]",
    "uint8[1048577]",
    "map",
  ])("%s is not a type", (text) =>
    expect(() => readType(text)).toThrowError(expect.objectContaining(refusal(text))),
  );

  it("is truncated in errors if it is invalid and very long", () => {
    expect(() => readType("x".repeat(1000))).toThrowError(expect.objectContaining(refusal("x".repeat(100))));
  });

  it("may have at most sixteen nested brackets or structs", () => {
    const lists = (depth: number) => `bool${"[]".repeat(depth)}`;
    expect(typeName(readType(lists(16)))).toBe(lists(16));
    expect(() => readType(lists(17))).toThrowError(
      expect.objectContaining(refusal("types that lie too deep in each other")),
    );
    const structs = (depth: number): object =>
      depth === 0 ? { type: "bool" } : { type: "tuple", components: [structs(depth - 1)] };
    expect(signatureText("f", readParameters([structs(16)]))).toBe(`f${"(".repeat(17)}bool${")".repeat(17)}`);
    expect(() => readParameters([structs(17)])).toThrowError(
      expect.objectContaining(refusal("types that lie too deep in each other")),
    );
  });
});

describe("the parameters of an ABI", () => {
  it("have their names, types and positions as compilers write them", () => {
    const json = [
      { name: "from", type: "address", indexed: true },
      { name: "value", type: "uint256", indexed: false },
      { type: "tuple[]", components: [{ name: "id", type: "bytes32" }] },
    ];
    const parameters = readParameters(json);
    expect(parameters).toEqual([
      { name: "from", type: { kind: "address" }, indexed: true },
      { name: "value", type: { kind: "uint", bits: 256 } },
      {
        name: "",
        type: {
          kind: "array",
          element: { kind: "tuple", members: [{ name: "id", type: { kind: "fixedBytes", size: 32 } }] },
        },
      },
    ]);
    expect(signatureText("log", parameters)).toBe("log(address,uint256,(bytes32)[])");
    expect([readParameters(undefined), signatureText("f", [])]).toEqual([[], "f()"]);
  });

  it("truncate an extremely long name", () => {
    const name = `from${"x".repeat(5000)}`;
    expect(readParameters([{ name, type: "bool" }])[0]?.name).toBe(name.slice(0, 200));
  });

  it.each<[string, unknown]>([
    ["parameters that are no list", { type: "bool" }],
    ["a parameter without a type", [null]],
    ["a parameter without a type", ["bool"]],
    ["a parameter without a type", [{ name: "x", type: 5 }]],
  ])("are refused: %s", (text, json) => {
    expect(() => readParameters(json)).toThrowError(expect.objectContaining(refusal(text)));
  });
});
