import { describe, expect, it } from "vitest";
import { fromAbiValue, fromAbiValues, toAbiValue } from "./json-values.ts";
import { readParameters, readType } from "./types.ts";

const PAIR = {
  name: "pair",
  type: "tuple",
  components: [
    { name: "id", type: "uint8" },
    { name: "tag", type: "bytes4" },
  ],
};
const parameter = (json: object) => {
  const [read] = readParameters([json]);
  if (read === undefined) throw new Error("no parameter");
  return read;
};
const given = (type: string, value: unknown) => toAbiValue(parameter({ name: "x", type }), value);

describe("a user's argument", () => {
  it.each<[string, unknown, unknown]>([
    ["uint256", "0xff", 255n],
    ["int8", "-3", -3n],
    ["uint8", 7, 7n],
    ["bool", true, true],
    ["bool", 0, false],
    ["string", "0x01", "0x01"],
    ["bytes", "0x0102", Uint8Array.of(1, 2)],
    ["bytes4", "0x0102", Uint8Array.of(1, 2, 0, 0)],
    ["bytes2", "0x0102", Uint8Array.of(1, 2)],
    ["address", `0x${"11".repeat(20)}`, new Uint8Array(20).fill(0x11)],
    ["bool[]", [true, false], [true, false]],
  ])("for %s: %j", (type, value, wanted) => expect(given(type, value)).toEqual(wanted));

  it("for a struct is a list, or an object by member names", () => {
    const pair = parameter(PAIR);
    const wanted = [5n, Uint8Array.of(9, 0, 0, 0)];
    expect(toAbiValue(pair, [5, "0x09"])).toEqual(wanted);
    expect(toAbiValue(pair, { tag: "0x09", id: 5 })).toEqual(wanted);
  });

  it.each<[string, unknown, string]>([
    ["bytes", "0102", "argument x (bytes): takes bytes as 0x and hex digits"],
    ["address", 5, "argument x (address): takes bytes as 0x and hex digits"],
    ["uint8[]", "1", "argument x (uint8[]): takes a list"],
  ])("for %s cannot be %j", (type, value, message) => expect(() => given(type, value)).toThrowError(message));

  it("is named in errors by the path of its invalid member, or by type if the parameter has no name", () => {
    expect(() => toAbiValue(parameter({ type: "bool[]" }), 1)).toThrowError("argument bool[]: takes a list");
    expect(() => toAbiValue(parameter(PAIR), { id: 1 })).toThrowError(
      "argument pair ((uint8,bytes4)): argument tag (bytes4): takes bytes as 0x and hex digits",
    );
  });
});

describe("shown values", () => {
  it("are integers, texts, bytes as hex, and lists of them", () => {
    expect(fromAbiValue(readType("uint8"), 5n)).toBe(5n);
    expect(fromAbiValue(readType("string"), "five")).toBe("five");
    expect(fromAbiValue(readType("bytes2[][]"), [[Uint8Array.of(1, 2)], []])).toEqual([["0x0102"], []]);
  });

  it("include structs by the names of their members", () => {
    const { type } = parameter(PAIR);
    const list = { kind: "array", element: type } as const;
    expect(fromAbiValue(list, [[5n, Uint8Array.of(1, 2, 3, 4)]])).toEqual([{ id: 5n, tag: "0x01020304" }]);
  });

  it.each([
    ["one has no name", ["a", ""]],
    ["two have the same", ["a", "a"]],
  ])("is a list if %s", (_, names) => {
    const parameters = readParameters(names.map((name) => ({ name, type: "uint8" })));
    expect(fromAbiValues(parameters, [1n, 2n])).toEqual([1n, 2n]);
  });
});
