import type { Json } from "../codec/json/value.ts";
import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { compressPublicKey, decompressPublicKey, isPublicKey } from "../crypto/secp256k1.ts";
import { bytesToBigint, concat, EMPTY_BYTES } from "../primitives/bytes.ts";
import { AccountFormatError } from "./errors.ts";
import { type JsonObject, toNumber } from "./json-fields.ts";
import { type AccountKey, KEY_TYPE_CODES } from "./key.ts";
import { keyItems } from "./key-codec.ts";
import { readKeyJson } from "./key-json-reader.ts";

/** The JSON form of a key in RPC: `{ keyType, key }`, with points as quantities `x` and `y`. */
export function accountKeyToJson(key: AccountKey): JsonObject {
  return { keyType: KEY_TYPE_CODES[key.type], key: bodyToJson(key) };
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

/**
 * The key of a `{ keyType, key }` object, member names in any letter case.
 * @param json - as an RPC argument; undefined members count as absent
 * @throws AccountFormatError with the reference node's texts; thresholds and weights of zero are refused here, other
 * rules are left to `checkInstallable`
 */
export function accountKeyFromJson(json: Json): AccountKey {
  return mapPublicKeys(readKeyJson(json), compressPoint);
}

/**
 * The encoding of the key of a `{ keyType, key }` object, as the reference node gives it, which is less strict than
 * `accountKeyFromJson`: a weighted key without a point gets an empty list for it, and a role whose points are none of
 * the curve is encoded as no bytes. Neither can be installed.
 * @throws AccountFormatError with the reference node's texts
 */
export function encodeAccountKeyJson(json: Json): Uint8Array {
  const key = readKeyJson(json);
  if (key.type !== "roleBased") return encode(key);
  const type = Uint8Array.of(KEY_TYPE_CODES[key.type]);
  return concat(type, encodeItem(key.keys.map(encodeRole)));
}

function encode(key: AccountKey): Uint8Array {
  return concat(...keyItems(key, pointItem).map(encodeItem));
}

function encodeRole(key: AccountKey): Uint8Array {
  try {
    return encode(key);
  } catch (error) {
    if (error instanceof AccountFormatError) return EMPTY_BYTES;
    throw error;
  }
}

function pointItem(point: Uint8Array): Item {
  return point.length === 0 ? [] : compressPoint(point);
}

function compressPoint(point: Uint8Array): Uint8Array {
  if (point.length === 0)
    throw new AccountFormatError("KEY_JSON", "X or Y value of the public key does not exist");
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
