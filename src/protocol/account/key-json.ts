import type { Json } from "../codec/json/value.ts";
import { compressPublicKey, decompressPublicKey, isPublicKey } from "../crypto/secp256k1.ts";
import { bigintToFixedBytes, bytesToBigint, concat } from "../primitives/bytes.ts";
import { AccountFormatError } from "./errors.ts";
import {
  asArray,
  asObject,
  asQuantity,
  asUint,
  type JsonObject,
  MAX_UINT64,
  member,
  toNumber,
} from "./json-fields.ts";
import {
  type AccountKey,
  FAIL_KEY,
  KEY_TYPE_CODES,
  KEY_TYPES,
  LEGACY_KEY,
  type MultisigKey,
  NIL_KEY,
  type WeightedKey,
} from "./key.ts";

/** A key as RPC shows it: `{ keyType, key }`, with points as quantities `x` and `y`. */
export function accountKeyToJson(key: AccountKey): JsonObject {
  return { keyType: KEY_TYPE_CODES[key.type], key: bodyToJson(key) };
}

/**
 * The key of a `{ keyType, key }` object, member names in any letter case.
 * @param json - as an RPC argument; undefined members count as absent
 * @throws AccountFormatError with the reference node's texts. Zero thresholds and weights are refused here, since an
 * absent member would read as zero; other rules are left to `checkInstallable`.
 */
export function accountKeyFromJson(json: Json): AccountKey {
  const key = parseKey(json, "key type is not specified");
  refuseZeros(key, false);
  return mapPublicKeys(key, compressPoint);
}

function bodyToJson(key: AccountKey): Json {
  if (key.type === "public") return pointToJson(key.publicKey);
  if (key.type === "roleBased") return key.keys.map(accountKeyToJson);
  if (key.type !== "weightedMultisig") return {};
  return {
    threshold: toNumber(key.threshold),
    keys: key.keys.map(({ weight, publicKey }) => ({
      weight: toNumber(weight),
      key: pointToJson(publicKey),
    })),
  };
}

function pointToJson(publicKey: Uint8Array): JsonObject {
  const point = decompressPublicKey(publicKey);
  const [x, y] = [bytesToBigint(point.subarray(0, 32)), bytesToBigint(point.subarray(32))];
  return { x: `0x${x.toString(16)}`, y: `0x${y.toString(16)}` };
}

/** Parses the shape; public keys are left as 64 bytes x and y, unchecked. */
function parseKey(json: Json, withoutType: string): AccountKey {
  const object = asObject(json, "accountkey.AccountKeyJSON");
  const type = member(object, "keyType");
  if (type === undefined || type === null) throw invalid(withoutType);
  const name =
    KEY_TYPES[
      Number(asUint(type, 255n, "struct field AccountKeyJSON.keyType of type accountkey.AccountKeyType"))
    ];
  if (name === undefined) throw new AccountFormatError("KEY_TYPE", "undefined account key type");
  const body = member(object, "key");
  if (body === undefined) throw invalid("unexpected end of JSON input");
  return parseBody(name, body);
}

function parseBody(type: AccountKey["type"], body: Json): AccountKey {
  switch (type) {
    case "public":
      return { type, publicKey: parsePoint(body, "publicKeySerializableInternalJSON.") };
    case "weightedMultisig":
      return parseMultisig(asObject(body, "accountkey.AccountKeyWeightedMultiSig"));
    case "roleBased": {
      const roles = asArray(body, "value of type []*accountkey.AccountKeySerializer");
      return { type, keys: roles.map((role) => parseKey(role, "key type is not specified on the input")) };
    }
    default:
      asObject(body, `accountkey.AccountKey${type[0]?.toUpperCase()}${type.slice(1)}`);
      return type === "nil" ? NIL_KEY : type === "fail" ? FAIL_KEY : LEGACY_KEY;
  }
}

function parseMultisig(object: JsonObject): MultisigKey {
  const threshold = member(object, "threshold") ?? 0;
  const keys = asArray(
    member(object, "keys") ?? [],
    "struct field AccountKeyWeightedMultiSig.keys of type accountkey.WeightedPublicKeys",
  );
  return {
    type: "weightedMultisig",
    threshold: BigInt(
      asUint(threshold, MAX_UINT64, "struct field AccountKeyWeightedMultiSig.threshold of type uint"),
    ),
    keys: keys.map(parseWeighted),
  };
}

function parseWeighted(json: Json): WeightedKey {
  const object = asObject(json, "accountkey.WeightedPublicKey");
  const weight = asUint(
    member(object, "weight") ?? 0,
    MAX_UINT64,
    "struct field WeightedPublicKey.keys.weight of type uint",
  );
  return {
    weight,
    publicKey: parsePoint(member(object, "key") ?? null, "WeightedPublicKey.keys.key."),
  };
}

function parsePoint(json: Json, path: string): Uint8Array {
  const object = asObject(json, "accountkey.publicKeySerializableInternalJSON");
  const [x, y] = ["x", "y"].map((name) => asQuantity(member(object, name), path + name));
  if (x === undefined || y === undefined) {
    throw new AccountFormatError("KEY_JSON", "X or Y value of the public key does not exist");
  }
  return concat(bigintToFixedBytes(x, 32), bigintToFixedBytes(y, 32));
}

function refuseZeros(key: AccountKey, nested: boolean): void {
  if (key.type === "weightedMultisig") {
    if (key.threshold === 0n) throw invalid("invalid threshold of the multiSigKey");
    if (key.keys.some(({ weight }) => weight === 0n)) throw invalid("invalid weight of the multiSigKey");
  }
  if (key.type !== "roleBased") return;
  if (nested) throw invalid("roleBasedKey cannot contains a roleBasedKey as a role key");
  for (const role of key.keys) refuseZeros(role, true);
}

function compressPoint(point: Uint8Array): Uint8Array {
  if (isPublicKey(concat(Uint8Array.of(4), point))) return compressPublicKey(point);
  const text = "the key probably contains an invalid public key: key is not on the S256 curve";
  throw new AccountFormatError("KEY_POINT", text);
}

function mapPublicKeys(key: AccountKey, change: (publicKey: Uint8Array) => Uint8Array): AccountKey {
  if (key.type === "public") return { ...key, publicKey: change(key.publicKey) };
  if (key.type === "roleBased") return { ...key, keys: key.keys.map((role) => mapPublicKeys(role, change)) };
  if (key.type !== "weightedMultisig") return key;
  return {
    ...key,
    keys: key.keys.map(({ weight, publicKey }) => ({ weight, publicKey: change(publicKey) })),
  };
}

function invalid(text: string): AccountFormatError {
  return new AccountFormatError("KEY_JSON", text);
}
