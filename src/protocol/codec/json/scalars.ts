import { MAX_UINT64 } from "../../primitives/integers.ts";
import { MismatchError } from "./errors.ts";
import type { Schema } from "./schema.ts";
import { type Secret, SecretText, secretString } from "./secret.ts";
import { type Json, kindOf, numberText } from "./value.ts";

/** A string whose type the reference names `goType` in its error texts; null is the empty string. */
export function text(title: string, goType: string): Schema<string> {
  return {
    title,
    json: { type: "string" },
    expects: "a string",
    decode(value) {
      if (typeof value === "string") return value;
      if (value === null) return "";
      throw new MismatchError(kindOf(value), goType, { got: value, expects: "a string" });
    },
    encode: (value) => value,
  };
}

/** A string as it is. */
export const string: Schema<string> = text("string", "string");

/** A string that is wiped after use if it came over a connection. */
function secretText(title: string, secret: "ask" | "askTwice"): Schema<Secret> {
  return {
    ...{ title, secret, json: string.json, expects: string.expects },
    decode(value) {
      const given: unknown = value;
      return given instanceof SecretText ? given : string.decode(value);
    },
    encode: secretString,
  };
}

/** A secret that unlocks a key. */
export const passphrase: Schema<Secret> = secretText("passphrase", "ask");

/** A secret that will unlock a key from now on. */
export const newPassphrase: Schema<Secret> = secretText("passphrase", "askTwice");

/** A private key in hex; checked by the handler, which knows both accepted forms. */
export const privateKey: Schema<Secret> = secretText("private key", "ask");

/** true or false; null is false. */
export const boolean: Schema<boolean> = {
  title: "boolean",
  json: { type: "boolean" },
  expects: "true or false",
  decode(value) {
    if (typeof value === "boolean") return value;
    if (value === null) return false;
    throw new MismatchError(kindOf(value), "bool", { got: value, expects: "true or false" });
  },
  encode: (value) => value,
};

/** Bounds of an integer written as a JSON number, and its type's name in the reference. */
export interface IntegerRange {
  readonly goType: string;
  readonly min: bigint;
  readonly max: bigint;
}

/** Integers of 64 bits have no more digits; of millions, the conversion takes seconds. */
const DIGITS = /^-?\d{1,20}$/;

/** An integer written as a JSON number; null is 0. */
export function integer(title: string, { goType, min, max }: IntegerRange): Schema<bigint> {
  const expects = `a whole number from ${min} to ${max} (JSON number, not a string)`;
  return {
    title,
    json: { type: "integer", minimum: Number(min), maximum: Number(max) },
    expects,
    decode(value) {
      if (value === null) return 0n;
      const digits = numberText(value);
      if (digits === undefined) throw new MismatchError(kindOf(value), goType, { got: value, expects });
      const parsed = DIGITS.test(digits) ? BigInt(digits) : undefined;
      const negative = parsed === 0n && digits !== "0" && min === 0n;
      if (parsed === undefined || parsed < min || parsed > max || negative)
        throw new MismatchError(`number ${digits}`, goType, { got: value, expects });
      return parsed;
    },
    encode: (value): Json => Number(value),
  };
}

/** A JSON number of 64 bits with sign. */
export const int: Schema<bigint> = integer("integer", {
  goType: "int",
  min: -(2n ** 63n),
  max: 2n ** 63n - 1n,
});

/** A JSON number of 64 bits without sign. */
export const uint64: Schema<bigint> = integer("unsigned integer", {
  goType: "uint64",
  min: 0n,
  max: MAX_UINT64,
});

/** Decodes an integer schema into a `number`; for ranges within 2^53. */
export function small(schema: Schema<bigint>): Schema<number> {
  return {
    ...schema,
    decode: (value) => Number(schema.decode(value)),
    encode: (value) => value,
  };
}
