import { describe, expect, it } from "vitest";
import { concat } from "../../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import { decodeAbi } from "./decode.ts";
import { encodeAbi } from "./encode.ts";
import { type AbiParameter, readParameters } from "./types.ts";

const typed = (...types: string[]) => readParameters(types.map((type) => ({ type })));
const word = (digits: string | number) =>
  (typeof digits === "number" ? digits.toString(16) : digits).padStart(64, "0");
const left = (digits: string) => digits.padEnd(64, "0");
const decode = (types: readonly AbiParameter[], ...words: string[]) =>
  decodeAbi(types, hexToBytes(`0x${words.join("")}`));
const refusal = (what: string) => ({
  code: "ABI_DATA",
  message: `the encoding of the contract ABI is wrong: ${what}`,
});

describe("decoding", () => {
  it("follows the examples in Solidity's specification", () => {
    const [numbers, texts] = decode(
      typed("uint256[][]", "string[]"),
      ...[
        word(0x40),
        word(0x140),
        word(2),
        word(0x40),
        word(0xa0),
        word(2),
        word(1),
        word(2),
        word(1),
        word(3),
      ],
      ...[word(3), word(0x60), word(0xa0), word(0xe0), word(3), left("6f6e65"), word(3), left("74776f")],
      ...[word(5), left("7468726565")],
    );
    expect(numbers).toEqual([[1n, 2n], [3n]]);
    expect(texts).toEqual(["one", "two", "three"]);
  });

  it("ignores the padding of a value in its word", () => {
    const dirty = "ff".repeat(32);
    const values = decode(
      typed("uint8", "int16", "bool", "address", "bytes2", "function"),
      ...[dirty, dirty, word("0100"), dirty, dirty, dirty],
    );
    const shown = values.map((value) => (value instanceof Uint8Array ? bytesToHex(value) : value));
    const ones = (size: number) => `0x${"ff".repeat(size)}`;
    expect(shown).toEqual([255n, -1n, true, ones(20), ones(2), ones(24)]);
    expect(decode(typed("bool", "bool", "bool"), word(0), word(1), dirty)).toEqual([false, true, true]);
  });

  it("decodes nested structs and lists", () => {
    const parameters = readParameters([
      { type: "bool" },
      {
        type: "tuple[2]",
        components: [
          { type: "string[2]" },
          { type: "tuple", components: [{ type: "uint8" }, { type: "int8[3]" }] },
        ],
      },
      { type: "uint16[2][3]" },
      { type: "bytes" },
    ]);
    const values = [
      true,
      [
        [
          ["a", "b".repeat(40)],
          [1n, [-1n, 0n, 127n]],
        ],
        [
          ["", "c"],
          [2n, [-128n, 5n, 6n]],
        ],
      ],
      [
        [1n, 2n],
        [3n, 4n],
        [5n, 65_535n],
      ],
      Uint8Array.of(7, 8),
    ];
    expect(decodeAbi(parameters, encodeAbi(parameters, values))).toEqual(values);
  });

  it("returns bytes that do not change with the input", () => {
    const parameters = typed("address", "bytes3", "bytes", "function");
    const filled = (size: number) => new Uint8Array(size).fill(1);
    const values = [filled(20), filled(3), filled(40), filled(24)];
    const input = encodeAbi(parameters, values);
    const decoded = decodeAbi(parameters, input);
    input.fill(0);
    expect(decoded).toEqual(values);
  });
});

describe("a wrong encoding", () => {
  it.each<[string, string, string[]]>([
    ["too short", "uint256", ["00".repeat(31)]],
    ["too short", "bytes", [word(0x20), word(34), left("aa"), "00"]],
    ["too short", "bool[2]", [word(1)]],
    ["points outside of itself", "bytes", [word(0x21), ""]],
    ["points outside of itself", "string", [`${"f".repeat(64)}`]],
    ["points outside of itself", "bytes", [word(0x20), word(0x41)]],
  ])("is refused when it is %s: %s", (what, type, words) => {
    expect(() => decode(typed(type), ...words)).toThrowError(expect.objectContaining(refusal(what)));
  });

  it("may lack padding at its end", () => {
    expect(decode(typed("bytes"), word(0x20), word(33), left("aa"), "bb")).toEqual([
      hexToBytes(`0x${left("aa")}bb`),
    ]);
  });

  it("yields at most 4,096 values, including lists, however many it announces", () => {
    const list = (length: number) => [word(0x20), word(length), ...Array.from({ length }, () => word(1))];
    expect(decode(typed("bool[]"), ...list(4095))).toEqual([Array.from({ length: 4095 }, () => true)]);
    expect(() => decode(typed("bool[]"), ...list(4096))).toThrowError(
      expect.objectContaining(refusal("too many values")),
    );
    const nothings = readParameters([{ type: "tuple[]", components: [] }]);
    expect(() => decode(nothings, word(0x20), word(5000), "00".repeat(5000))).toThrowError(
      expect.objectContaining(refusal("too many values")),
    );
  });

  it("yields at most a megabyte of text, however often it points to the same one", () => {
    const texts = (count: number, size: number) => {
      const heads = Array.from({ length: count }, () => word(count * 32));
      return concat(
        hexToBytes(`0x${[word(0x20), word(count), ...heads, word(size)].join("")}`),
        new Uint8Array(size),
      );
    };
    const [read] = decodeAbi(typed("bytes[]"), texts(16, 1 << 16)) as [Uint8Array[]];
    expect(read).toHaveLength(16);
    expect(() => decodeAbi(typed("bytes[]"), texts(17, 1 << 16))).toThrowError(
      expect.objectContaining(refusal("too many bytes")),
    );
  });
});
