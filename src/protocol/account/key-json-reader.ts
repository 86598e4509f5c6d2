import type { Json } from "../codec/json/value.ts";
import { bigintToFixedBytes, concat, EMPTY_BYTES } from "../primitives/bytes.ts";
import { MAX_UINT64 } from "../primitives/integers.ts";
import { AccountFormatError } from "./errors.ts";
import { asArray, asObject, asQuantity, asUint, type JsonObject, member } from "./json-fields.ts";
import {
  type AccountKey,
  FAIL_KEY,
  KEY_TYPES,
  LEGACY_KEY,
  type MultisigKey,
  NIL_KEY,
  type WeightedKey,
} from "./key.ts";

/**
 * The key of a `{ keyType, key }` object, its points unchecked: x and y in 64 bytes, or none where a weighted key has no
 * point. Zero thresholds and weights are refused, since an absent member would read as zero.
 * @throws AccountFormatError with the reference node's texts
 */
export function readKeyJson(json: Json): AccountKey {
  const key = readKey(json, "key type is not specified");
  refuseZeros(key, false);
  return key;
}

function readKey(json: Json, withoutType: string): AccountKey {
  const object = asObject(json, "value of type accountkey.AccountKeyJSON");
  const type = member(object, "keyType");
  if (type === undefined || type === null) throw invalid(withoutType);
  const code = asUint(type, 255n, "struct field AccountKeyJSON.keyType of type accountkey.AccountKeyType");
  const name = KEY_TYPES[Number(code)];
  if (name === undefined) throw new AccountFormatError("KEY_TYPE", "undefined account key type");
  const body = member(object, "key");
  if (body === undefined) throw invalid("unexpected end of JSON input");
  return readBody(name, body);
}

function readBody(type: AccountKey["type"], body: Json): AccountKey {
  switch (type) {
    case "public":
      return { type, publicKey: readPoint(body, "value", "publicKeySerializableInternalJSON.") };
    case "weightedMultisig":
      return readMultisig(asObject(body, "value of type accountkey.AccountKeyWeightedMultiSig"));
    case "roleBased": {
      const roles = asArray(body, "value of type []*accountkey.AccountKeySerializer");
      // The reference reads all roles and crashes on null afterwards.
      const [isNull, text] = [(role: Json) => role === null, "key type is not specified on the input"];
      const keys = roles.filter((role) => !isNull(role)).map((role) => readKey(role, text));
      if (roles.some(isNull)) throw invalid(text);
      return { type, keys };
    }
    default:
      asObject(body, `value of type accountkey.AccountKey${type[0]?.toUpperCase()}${type.slice(1)}`);
      return type === "nil" ? NIL_KEY : type === "fail" ? FAIL_KEY : LEGACY_KEY;
  }
}

/** Members of the wrong kind, which the reference reports last: it reads on and a bad point comes first. */
class WrongKinds {
  #first: unknown;

  /** What `read` returns; `fallback` where it throws. */
  attempt<T>(read: () => T, fallback: T): T {
    try {
      return read();
    } catch (error) {
      this.#first ??= error;
      return fallback;
    }
  }

  throwFirst(): void {
    if (this.#first !== undefined) throw this.#first;
  }
}

function readMultisig(object: JsonObject): MultisigKey {
  const wrong = new WrongKinds();
  let threshold = 0n;
  let keys: readonly WeightedKey[] = [];
  for (const [name, value] of membersOf(object)) {
    if (name === "threshold") {
      const target = "struct field AccountKeyWeightedMultiSig.threshold of type uint";
      threshold = wrong.attempt(() => asUint(value ?? 0, MAX_UINT64, target), 0n);
    } else if (name === "keys") {
      const target = "struct field AccountKeyWeightedMultiSig.keys of type accountkey.WeightedPublicKeys";
      keys = wrong.attempt(() => asArray(value, target), []).map((key) => readWeighted(key, wrong));
    }
  }
  wrong.throwFirst();
  return { type: "weightedMultisig", threshold, keys };
}

function readWeighted(json: Json, wrong: WrongKinds): WeightedKey {
  const target = "struct field AccountKeyWeightedMultiSig.keys of type accountkey.WeightedPublicKey";
  let weight = 0n;
  let publicKey: Uint8Array = EMPTY_BYTES;
  for (const [name, value] of membersOf(wrong.attempt(() => asObject(json, target), {}))) {
    if (value === null) continue;
    if (name === "weight") {
      const field = "struct field WeightedPublicKey.keys.weight of type uint";
      weight = wrong.attempt(() => asUint(value, MAX_UINT64, field), 0n);
    } else if (name === "key") {
      const path = "WeightedPublicKey.keys.key";
      publicKey = readPoint(value, `struct field ${path}`, `${path}.`);
    }
  }
  return { weight, publicKey };
}

/** @param where - the point in the reference's error texts, @param path - the prefix of `x` and `y` there */
function readPoint(json: Json, where: string, path: string): Uint8Array {
  const object = asObject(json, `${where} of type accountkey.publicKeySerializableInternalJSON`);
  let x: bigint | undefined;
  let y: bigint | undefined;
  for (const [name, value] of membersOf(object)) {
    if (name === "x") x = asQuantity(value, `${path}x`);
    if (name === "y") y = asQuantity(value, `${path}y`);
  }
  if (x === undefined || y === undefined) throw invalid("X or Y value of the public key does not exist");
  return concat(bigintToFixedBytes(x, 32), bigintToFixedBytes(y, 32));
}

/** Members with lower-case names; the last duplicate wins. */
function membersOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]);
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

function invalid(text: string): AccountFormatError {
  return new AccountFormatError("KEY_JSON", text);
}
