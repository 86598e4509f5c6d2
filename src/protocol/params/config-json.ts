import { endOfString } from "../codec/json/end-of-string.ts";
import { type Address, ZERO_ADDRESS } from "../primitives/bytes.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { ParamsError } from "./errors.ts";

/** A JSON object of a genesis or chain configuration. */
export type ConfigJson = Readonly<Record<string, unknown>>;

/**
 * Parses JSON without losing digits: integers that a double cannot hold become decimal strings, which every reader of
 * numbers below takes too. A minting amount of 9600000000000000001 kei is such a number.
 * @throws SyntaxError when the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  const json: unknown = JSON.parse(text); // refuses what the scan by index could not
  return MAY_BE_LONG.test(text) ? JSON.parse(withQuotedIntegers(text)) : json;
}

const MAY_BE_LONG = /\d{16}/;
const LONG_INTEGER = /^-?\d{16,}$/;
const QUOTE = 0x22;

/** Valid JSON with integers of 16 digits and more as strings. */
function withQuotedIntegers(text: string): string {
  let [quoted, from] = ["", 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isOfNumber(code)) {
      const start = at;
      while (isOfNumber(text.charCodeAt(at + 1))) at++;
      const word = text.slice(start, at + 1);
      if (!LONG_INTEGER.test(word)) continue;
      quoted += `${text.slice(from, start)}"${word}"`;
      from = at + 1;
    }
  }
  return quoted + text.slice(from);
}

/** Whether a character may be part of a number; the letter of an exponent is one of `true` and `false`, too. */
function isOfNumber(code: number): boolean {
  const isSign = code === 0x2d || code === 0x2b || code === 0x2e;
  return isSign || (code >= 0x30 && code <= 0x39) || (code | 0x20) === 0x65;
}

/** The object under `key`, or undefined when it is absent or null. @throws ParamsError when it is something else */
export function objectAt(json: ConfigJson, key: string): ConfigJson | undefined {
  const value = json[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) throw wrong(key, "an object");
  return value as ConfigJson;
}

/**
 * The unsigned integer under `key`: a JSON number, or text in decimal or 0x hex. Undefined when absent or null.
 * @throws ParamsError for anything else
 */
export function integerAt(json: ConfigJson, key: string): bigint | undefined {
  const value = json[key];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === "bigint" && value >= 0n) return value;
  if (typeof value === "string" && /^(\d+|0[xX][0-9a-fA-F]+)$/.test(value)) return BigInt(value);
  throw wrong(key, "an unsigned integer");
}

/** The text under `key`; undefined when absent or null. @throws ParamsError when it is not text */
export function textAt(json: ConfigJson, key: string): string | undefined {
  const value = json[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrong(key, "text");
  return value;
}

/** The boolean under `key`; undefined when absent or null. @throws ParamsError when it is not a boolean */
export function flagAt(json: ConfigJson, key: string): boolean | undefined {
  const value = json[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw wrong(key, "a boolean");
  return value;
}

/** The address under `key`; the zero address when absent. @throws ParamsError when it is not 20 bytes of hex */
export function addressAt(json: ConfigJson, key: string): Address {
  const text = textAt(json, key);
  if (text === undefined || text === "") return ZERO_ADDRESS;
  if (!/^0[xX][0-9a-fA-F]{40}$/.test(text)) throw wrong(key, "an address");
  return hexToBytes(`0x${text.slice(2)}`);
}

function wrong(key: string, want: string): ParamsError {
  return new ParamsError("CONFIG_FORMAT", `chain configuration: ${key} is not ${want}`, { key });
}
