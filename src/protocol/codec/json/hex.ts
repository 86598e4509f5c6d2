import { bytesOfDigits, bytesToHex } from "../../primitives/hex.ts";
import { InvalidParamsError, MismatchError } from "./errors.ts";
import type { Schema } from "./schema.ts";
import type { Json } from "./value.ts";

const HEX_DIGITS = /^[0-9a-fA-F]*$/;

function hasPrefix(text: string): boolean {
  return text.charCodeAt(0) === 0x30 && (text.charCodeAt(1) | 0x20) === 0x78;
}

/** Length of a text in bytes, as the reference counts: what is not ASCII has several to a character. */
function byteLength(text: string): number {
  const lastAscii = 0x7f;
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) > lastAscii) return new TextEncoder().encode(text).length;
  return text.length;
}

/** Digits of a quantity. @returns the text after `0x`, or the reference's error text */
export function quantityDigits(text: string, bits: number): { digits: string } | { problem: string } {
  if (!hasPrefix(text)) return { problem: "hex string without 0x prefix" };
  if (text.length === 2) return { problem: 'hex string "0x"' };
  if (text.length > 3 && text.charCodeAt(2) === 0x30)
    return { problem: "hex number with leading zero digits" };
  if (byteLength(text) - 2 > bits / 4) return { problem: `hex number > ${bits} bits` };
  const digits = text.slice(2);
  return HEX_DIGITS.test(digits) ? { digits } : { problem: "invalid hex string" };
}

/** A number as `0x` and hex digits without leading zeros, at most `bits` bits; the empty string is 0. */
export function quantityOf(bits: 64 | 256, goType: string): Schema<bigint> {
  const expects = `a number of at most ${bits} bits as 0x-prefixed hex without leading zeros`;
  return {
    title: "QUANTITY",
    json: { type: "string", pattern: "^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$", maxLength: 2 + bits / 4 },
    expects,
    decode(value) {
      if (typeof value !== "string") throw new MismatchError("non-string", goType, { got: value, expects });
      if (value === "") return 0n;
      const parsed = quantityDigits(value, bits);
      if ("problem" in parsed) throw new MismatchError(parsed.problem, goType, { got: value, expects });
      return BigInt(`0x${parsed.digits}`);
    },
    encode: (value) => `0x${value.toString(16)}`,
  };
}

/** An amount, price or other number up to 2^256. */
export const quantity: Schema<bigint> = quantityOf(256, "*hexutil.Big");

/** A gas limit, nonce or other number up to 2^64. */
export const quantity64: Schema<bigint> = quantityOf(64, "hexutil.Uint64");

function decodeHex(value: Json, goType: string, expects: string): Uint8Array {
  if (typeof value !== "string") throw new MismatchError("non-string", goType, { got: value, expects });
  if (value === "") return new Uint8Array(0);
  const bytes = hasPrefix(value) && value.length % 2 === 0 ? bytesOfDigits(value) : undefined;
  if (bytes !== undefined) return bytes;
  throw new MismatchError(problemOf(value), goType, { got: value, expects });
}

/** The reference's error text for invalid hex. */
function problemOf(value: string): string {
  if (!hasPrefix(value)) return "hex string without 0x prefix";
  return byteLength(value) % 2 === 0 ? "invalid hex string" : "hex string of odd length";
}

function bytesAs(expects: string): Schema<Uint8Array> {
  return {
    title: "DATA",
    json: { type: "string", pattern: "^0x([0-9a-fA-F]{2})*$" },
    expects,
    decode: (value) => decodeHex(value, "hexutil.Bytes", expects),
    encode: bytesToHex,
  };
}

const EVEN_HEX = "0x-prefixed hex with an even number of digits";

/** Bytes of any length as 0x-prefixed hex; the empty string is no bytes. */
export const bytes: Schema<Uint8Array> = bytesAs(EVEN_HEX);

/** A message to sign: bytes, which callers often pass as text. */
export const message: Schema<Uint8Array> = bytesAs(
  `${EVEN_HEX}, of a text its UTF-8 bytes (in the console web3.fromUtf8("text"))`,
);

/** Exactly `size` bytes as 0x-prefixed hex. */
export function fixedBytes(title: string, size: number, goType: string): Schema<Uint8Array> {
  const expects = `${size} bytes as 0x-prefixed hex (${size * 2} digits)`;
  return {
    title,
    json: { type: "string", pattern: `^0x[0-9a-fA-F]{${size * 2}}$` },
    expects,
    decode(value) {
      const isOfSize = typeof value === "string" && value.length === 2 + 2 * size && hasPrefix(value);
      const decoded = isOfSize ? bytesOfDigits(value) : undefined;
      if (decoded !== undefined) return decoded;
      checkLength(value, { size, goType, expects });
      return decodeHex(value, goType, expects);
    },
    encode: bytesToHex,
  };
}

/** The reference checks the length before the digits. */
function checkLength(value: Json, type: { size: number; goType: string; expects: string }): void {
  if (typeof value !== "string") return;
  const length = byteLength(value);
  if (value !== "" && (!hasPrefix(value) || length % 2 !== 0)) return;
  const digits = Math.max(0, length - 2);
  if (digits === type.size * 2) return;
  const reason = `hex string has length ${digits}, want ${type.size * 2} for ${type.goType}`;
  throw new InvalidParamsError(reason, { got: value, expects: type.expects });
}

/** An address of 20 bytes. */
export const address: Schema<Uint8Array> = fixedBytes("address", 20, "common.Address");
/** The hash of a block, a transaction or something else on the chain: 32 bytes. */
export const hash: Schema<Uint8Array> = { ...fixedBytes("hash", 32, "common.Hash"), denotes: "hash" };
