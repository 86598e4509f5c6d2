import { isObject, type Json, kindOf, NumberLiteral, numberText } from "../codec/json/value.ts";
import { AccountFormatError } from "./errors.ts";

/** A JSON object whose numbers are kept as text. */
export type JsonObject = { [key: string]: Json };

/** A JSON number without fraction from 0 to `max`. @throws AccountFormatError naming the Go `target` */
export function asUint(value: Json, max: bigint, target: string): bigint {
  const text = numberText(value);
  if (text !== undefined && /^\d+$/.test(text) && BigInt(text) <= max) return BigInt(text);
  throw mismatch(text === undefined ? kindOf(value) : `number ${text}`, target);
}

/** An object; `null` reads as an empty one. @throws AccountFormatError naming the Go `target` */
export function asObject(value: Json, target: string): JsonObject {
  if (value === null) return {};
  if (isObject(value)) return value;
  throw mismatch(kindOf(value), target);
}

/** An array; `null` reads as an empty one. @throws AccountFormatError naming the Go `target` */
export function asArray(value: Json, target: string): Json[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw mismatch(kindOf(value), target);
}

/** A quantity of up to 256 bits; undefined when absent or null. @throws AccountFormatError naming the Go `field` */
export function asQuantity(value: Json | undefined, field: string): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  const problem = quantityProblem(value);
  if (problem !== undefined) throw mismatch(problem, `struct field ${field} of type *hexutil.Big`);
  return BigInt((value as string) || 0);
}

/** The member of that name; without one, a member whose name differs in letter case only. */
export function member(object: JsonObject, name: string): Json | undefined {
  const exact = object[name];
  if (exact !== undefined) return exact;
  const key = Object.keys(object).find((k) => k.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

/** A JSON number that keeps all its digits. */
export function toNumber(value: bigint): Json {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? new NumberLiteral(String(value)) : Number(value);
}

function quantityProblem(value: Json): string | undefined {
  if (typeof value !== "string") return "non-string";
  if (value === "") return undefined;
  if (!/^0x/i.test(value)) return "hex string without 0x prefix";
  const digits = value.slice(2);
  if (digits === "") return 'hex string "0x"';
  if (digits.length > 1 && digits.startsWith("0")) return "hex number with leading zero digits";
  if (digits.length > 64) return "hex number > 256 bits";
  return /^[0-9a-f]+$/i.test(digits) ? undefined : "invalid hex string";
}

function mismatch(found: string, target: string): AccountFormatError {
  return new AccountFormatError("KEY_JSON", `json: cannot unmarshal ${found} into Go ${target}`);
}
