import { MismatchError } from "../../../../protocol/codec/json/errors.ts";
import { bytes } from "../../../../protocol/codec/json/hex.ts";
import { wire } from "../../../../protocol/codec/json/object.ts";
import { type Json, required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import { isObject, kindOf, numberText } from "../../../../protocol/codec/json/value.ts";
import { method } from "../method.ts";

const expects = "an object { keyType, key }, or keyType (0 to 5) and key as two arguments";
const GO_TYPE = "accountkey.AccountKeyJSON";

/** `{ keyType, key }`; its inside is read by the handler, whose errors are -32000 as in the reference. */
const keyObject: Schema<{ [key: string]: Json }> = {
  title: "account key",
  json: { type: "object" },
  expects,
  decode(value) {
    if (value === null) return {};
    if (!isObject(value)) throw new MismatchError(kindOf(value), GO_TYPE, { got: value, expects });
    for (const [name, member] of Object.entries(value)) {
      if (name.toLowerCase() !== "keytype" || member === null || isKeyType(member)) continue;
      const text = numberText(member);
      const found = text === undefined ? kindOf(member) : `number ${text}`;
      const mismatch = new MismatchError(found, "accountkey.AccountKeyType", {
        got: member,
        expects: "0 to 5",
      });
      throw mismatch.within("AccountKeyJSON", "keyType");
    }
    return value;
  },
  encode: (value) => value,
};

function isKeyType(value: Json): boolean {
  const text = numberText(value);
  return text !== undefined && /^\d{1,3}$/.test(text) && Number(text) <= 255;
}

/** A number, or a hex quantity. */
function isTypeNumber(type: Json | undefined): boolean {
  return (
    numberText(type ?? null) !== undefined || (typeof type === "string" && /^0x[0-9a-fA-F]{1,2}$/.test(type))
  );
}

/** A decoded key; `keytype` repeats `keyType`, since the interface specification spells it so. */
export interface DecodedKey {
  readonly keyType: number;
  readonly keytype: number;
  readonly key: Json;
}

/** Encoding and decoding of account keys. */
export const accountKeys = {
  encodeAccountKey: method({
    summary: "Encodes an account key. Takes one object, or key type and key as two arguments.",
    params: { key: required(keyObject, "The key: { keyType, key }, or keyType and key as two arguments.") },
    result: bytes,
    scope: "chain",
    normalize: ([type, key, ...rest]) =>
      isTypeNumber(type) && key !== undefined && rest.length === 0
        ? [{ keyType: typeof type === "string" ? Number(type) : (type as Json), key }]
        : [type, key, ...rest].filter((value) => value !== undefined),
    example: { params: [{ keyType: 1, key: {} }], result: "0x01c0" },
  }),
  decodeAccountKey: method({
    summary: "Decodes an encoded account key.",
    params: { encoded: required(bytes, "The encoded key.") },
    result: wire<DecodedKey>("DecodedAccountKey", { type: "object", description: "`keyType` and `key`." }),
    scope: "chain",
    example: { params: ["0x01c0"], result: { keyType: 1, keytype: 1, key: {} } },
  }),
};
