import { type Json, numberText } from "../../protocol/codec/json/value.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bigintToFixedBytes, leftPad } from "../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { typedDataError } from "./errors.ts";

/** `uint`, `uint256`, `int8`. */
const INTEGER = /^(u?)int(\d{0,3})$/;
const BYTES = /^bytes(\d{1,2})$/;
const HEX = /^0x[0-9a-fA-F]*$/;
const DECIMAL = /^-?\d{1,80}$/;
/** Length of a 32-byte number in hex, with `0x`. */
const MAX_HEX_LENGTH = 66;

/**
 * Encodes a value that is neither a struct nor an array, in 32 bytes.
 * @param path - of the value, for error texts
 * @throws WalletError `TYPED_DATA`
 * @see EIP-712, encodeData
 */
export function encodeValue(type: string, value: Json | undefined, path: string): Uint8Array {
  if (value === undefined || value === null) throw typedDataError(`${path} is missing`);
  switch (type) {
    case "string":
      if (typeof value !== "string") throw invalidValue(path, type);
      return keccak256(new TextEncoder().encode(value));
    case "bytes":
      return keccak256(bytesOf(value, type, path));
    case "bool":
      if (typeof value !== "boolean") throw invalidValue(path, type);
      return bigintToFixedBytes(value ? 1n : 0n, 32);
    case "address": {
      const address = bytesOf(value, type, path);
      if (address.length !== 20) throw invalidValue(path, type);
      return leftPad(address, 32);
    }
    default:
      return encodeSized(type, value, path);
  }
}

function encodeSized(type: string, value: Json, path: string): Uint8Array {
  const integer = INTEGER.exec(type);
  if (integer)
    return encodeInteger(value, { isSigned: integer[1] === "", bits: Number(integer[2] || 256) }, path);
  const size = Number(BYTES.exec(type)?.[1] ?? 0);
  if (size < 1 || size > 32) throw typedDataError(`type ${type} of ${path} is not declared`);
  const bytes = bytesOf(value, type, path);
  if (bytes.length !== size) throw invalidValue(path, type);
  const padded = new Uint8Array(32);
  padded.set(bytes);
  return padded;
}

function encodeInteger(
  value: Json,
  { isSigned, bits }: { readonly isSigned: boolean; readonly bits: number },
  path: string,
): Uint8Array {
  const type = `${isSigned ? "int" : "uint"}${bits}`;
  if (bits === 0 || bits > 256 || bits % 8 !== 0)
    throw typedDataError(`type ${type} of ${path} is not declared`);
  const number = integerOf(value);
  if (number === undefined) throw invalidValue(path, type);
  const [min, max] = isSigned
    ? [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
    : [0n, (1n << BigInt(bits)) - 1n];
  if (number < min || number > max) throw invalidValue(path, type);
  return bigintToFixedBytes(BigInt.asUintN(256, number), 32);
}

/** A number in decimal or hex; undefined for anything else. */
function integerOf(value: Json): bigint | undefined {
  const text = typeof value === "string" ? value : numberText(value);
  if (text === undefined) return undefined;
  if (HEX.test(text) && text.length > 2 && text.length <= MAX_HEX_LENGTH) return BigInt(text);
  return DECIMAL.test(text) ? BigInt(text) : undefined;
}

function bytesOf(value: Json, type: string, path: string): Uint8Array {
  if (typeof value !== "string" || !HEX.test(value) || value.length % 2 !== 0) throw invalidValue(path, type);
  return hexToBytes(value);
}

function invalidValue(path: string, type: string) {
  return typedDataError(`${path} is not a valid ${type}`);
}
