import { describe, expect, it } from "vitest";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { parseRawKey } from "./raw-key.ts";

const KEY = "45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8";
const ADDRESS = "a94f5374fce5edbc8e2a8697c15331677e6ebf0b";
const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

describe("parseRawKey", () => {
  it("reads a key, in either case", () => {
    expect(bytesToHex(parseRawKey(KEY).privateKey)).toBe(`0x${KEY}`);
    expect(parseRawKey(KEY.toUpperCase())).toEqual(parseRawKey(KEY));
    expect(parseRawKey(KEY).address).toBeUndefined();
  });

  it("reads a wallet key with its account", () => {
    const { privateKey, address } = parseRawKey(`${KEY}0x000x${ADDRESS}`);
    expect(bytesToHex(privateKey)).toBe(`0x${KEY}`);
    expect(bytesToHex(address as Uint8Array)).toBe(`0x${ADDRESS}`);
  });

  it("ignores the separators of a wallet key, and accepts any address", () => {
    expect(parseRawKey(`${KEY}..00..${ADDRESS}`).address).toEqual(
      parseRawKey(`${KEY}0x000x${ADDRESS}`).address,
    );
    expect(bytesToHex(parseRawKey(`${KEY}0x000x${"z".repeat(40)}`).address as Uint8Array)).toBe(
      `0x${"0".repeat(40)}`,
    );
  });

  it("names the given network in errors", () => {
    const text = `${KEY}0x010x${ADDRESS}`;
    expect(() => parseRawKey(text, "Klaytn")).toThrowError("Klaytn wallet key type must be 00.");
  });

  it.each([
    [`${KEY}0x010x${ADDRESS}`, "Kaia wallet key type must be 00."],
    [`0x${KEY}`, "invalid hex string"],
    [`${KEY} `, "invalid hex string"],
    [KEY.slice(1), "invalid hex string"],
    ["zz", "invalid hex string"],
    [KEY.slice(2), "invalid length, need 256 bits"],
    [`${KEY}00`, "invalid length, need 256 bits"],
    ["", "invalid length, need 256 bits"],
    ["0".repeat(64), "invalid private key, zero or negative"],
    [ORDER, "invalid private key, >=N"],
    ["f".repeat(64), "invalid private key, >=N"],
  ])("refuses %s: %s", (text, message) => {
    expect(() => parseRawKey(text)).toThrowError(expect.objectContaining({ code: "KEY_TEXT", message }));
  });
});
