import { describe, expect, it } from "vitest";
import type { Bridge } from "../bridge.ts";
import { addHelpers } from "./helpers.ts";
import type { Namespace } from "./namespaces.ts";

const spaces: Record<string, Namespace> = { kaia: {}, web3: { sha3: () => "of the node" } as never };
addHelpers(spaces, {} as Bridge);
const web3 = spaces["web3"] as unknown as Record<string, (...args: unknown[]) => unknown>;

describe("the converters of the console", () => {
  it("hash a text, or with an encoding the bytes it represents", () => {
    const ofAbc = "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45";
    expect(web3["sha3"]?.("abc")).toBe(ofAbc);
    expect(web3["sha3"]?.("0x616263", { encoding: "hex" })).toBe(ofAbc);
    expect(web3["sha3"]?.("0x616263")).not.toBe(ofAbc);
    expect(() => web3["sha3"]?.(7)).toThrow("sha3 takes a text");
  });

  it("format numbers, signs and booleans as the Go console does", () => {
    const hex = [true, -1, "-5", "-0x1", "", "255", "é"].map((value) => web3["toHex"]?.(value));
    expect(hex).toEqual(["0x1", "-0x1", "-0x5", "-0x1", "0x0", "0xff", "0xc3a9"]);
  });

  it("convert bytes to characters one by one", () => {
    expect(web3["fromAscii"]?.("ethereum")).toBe("0x657468657265756d");
    expect(web3["toAscii"]?.("0x657468657265756d0000")).toBe("ethereum\u0000\u0000");
  });
});
