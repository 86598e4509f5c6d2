import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { expectMore, located, throughType, within } from "../codec/rlp/location.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { isPublicKey } from "../crypto/secp256k1.ts";
import { bigintToBytes, concat, EMPTY_BYTES } from "../primitives/bytes.ts";
import { AccountFormatError, AccountKeyError } from "./errors.ts";
import {
  type AccountKey,
  FAIL_KEY,
  KEY_TYPE_CODES,
  KEY_TYPES,
  LEGACY_KEY,
  type MultisigKey,
  NIL_KEY,
  type RoleBasedKey,
  type WeightedKey,
} from "./key.ts";

/** Encoding of a legacy key, and the items of which it consists. */
const LEGACY = Uint8Array.of(0x01, 0xc0);
const LEGACY_ITEMS: readonly Item[] = [Uint8Array.of(KEY_TYPE_CODES.legacy), []];

/** Go type into which the reference node decodes the key of a role. */
const SERIALIZER = "*accountkey.AccountKeySerializer";

/** Role-based keys nested deeper than this are rejected immediately; none of them could be installed anyway. */
const MAX_NESTING = 32;

/** Encodes a key: its type byte, then its body; the nil key is 0x80 alone. */
export function encodeAccountKey(key: AccountKey): Uint8Array {
  return key.type === "legacy" ? LEGACY.slice() : concat(...keyItems(key).map(encodeItem));
}

/**
 * The items that a key puts into an enclosing list: type and body, or the type alone for the nil key.
 * @param point - the item of a public key outside of roles
 */
export function keyItems(
  key: AccountKey,
  point: (publicKey: Uint8Array) => Item = (publicKey) => publicKey,
): readonly Item[] {
  if (key.type === "legacy") return LEGACY_ITEMS;
  const type = Uint8Array.of(KEY_TYPE_CODES[key.type]);
  switch (key.type) {
    case "nil":
      return [EMPTY_BYTES];
    case "public":
      return [type, point(key.publicKey)];
    case "weightedMultisig":
      return [
        type,
        [bigintToBytes(key.threshold), key.keys.map((k) => [bigintToBytes(k.weight), point(k.publicKey)])],
      ];
    case "roleBased":
      return [type, key.keys.map(encodeAccountKey)];
    default:
      return [type, []];
  }
}

/**
 * Decodes a key that fills the input. Checks the points, but no other rule: thresholds, counts and nesting are left
 * to `checkInstallable`.
 * @param target - the Go type that the reference node names in its error texts: RPC decodes into a pointer
 * @throws RlpError; AccountFormatError `KEY_TYPE`, `KEY_POINT`
 */
export function decodeAccountKey(bytes: Uint8Array, target = "accountkey.AccountKeySerializer"): AccountKey {
  try {
    return readWhole(bytes, checkedPoint, 0);
  } catch (error) {
    throw located(error, [target]);
  }
}

function readWhole(bytes: Uint8Array, point: PointReader, nesting: number): AccountKey {
  const reader = new RlpReader(bytes);
  const key = readAccountKey(reader, point, nesting);
  reader.finish();
  return key;
}

/** Reads a public key from the wire. */
export type PointReader = (reader: RlpReader) => Uint8Array;

/** For keys from outside. @throws AccountFormatError `KEY_POINT` */
const checkedPoint: PointReader = (reader) => {
  const point = reader.bytes();
  if (point.length !== 33 || !isPublicKey(point))
    throw new AccountFormatError("KEY_POINT", "invalid public key");
  return point.slice();
};

/** For keys from the node's own database, which were checked before: a curve check costs more than the rest of the decoding. */
export const trustedPoint: PointReader = (reader) => reader.bytes().slice();

/** Reads type and body of a key at the reader's position. @throws RlpError, AccountFormatError */
export function readAccountKey(reader: RlpReader, point: PointReader, nesting = 0): AccountKey {
  const type = KEY_TYPES[reader.number("accountkey.AccountKeyType")];
  switch (type) {
    case "nil":
      return NIL_KEY;
    case "legacy":
      readEmptyList(reader, "accountkey.AccountKeyLegacy");
      return LEGACY_KEY;
    case "fail":
      readEmptyList(reader, "accountkey.AccountKeyFail");
      return FAIL_KEY;
    case "public":
      return { type, publicKey: point(reader) };
    case "weightedMultisig":
      return through("accountkey.AccountKeyWeightedMultiSig", (target) =>
        readMultisig(reader, point, target),
      );
    case "roleBased":
      return through("accountkey.AccountKeyRoleBased", () => readRoleBased(reader, point, nesting + 1));
    default:
      throw new AccountFormatError("KEY_TYPE", "undefined account key type");
  }
}

function readEmptyList(reader: RlpReader, type: string): void {
  reader.enterList(type);
  reader.leaveList();
}

function readMultisig(reader: RlpReader, point: PointReader, type: string): MultisigKey {
  reader.enterList(type);
  const threshold = readMember(reader, type, "Threshold", () => reader.uint("uint", 8));
  const keys = readMember(reader, type, "Keys", () =>
    readElements(reader, "accountkey.WeightedPublicKeys", () => readWeighted(reader, point)),
  );
  reader.leaveList();
  return { type: "weightedMultisig", threshold, keys };
}

function readWeighted(reader: RlpReader, point: PointReader): WeightedKey {
  const type = "accountkey.WeightedPublicKey";
  reader.enterList(type);
  const weight = readMember(reader, type, "Weight", () => reader.uint("uint", 8));
  const publicKey = readMember(reader, type, "Key", () => point(reader));
  reader.leaveList();
  return { weight, publicKey };
}

function readRoleBased(reader: RlpReader, point: PointReader, nesting: number): RoleBasedKey {
  if (nesting > MAX_NESTING) throw new AccountKeyError("KEY_NESTED");
  const encoded = through("[][]uint8", (type) => readElements(reader, type, () => reader.bytes()));
  const keys = encoded.map((bytes) => through(SERIALIZER, () => readWhole(bytes, point, nesting)));
  return { type: "roleBased", keys };
}

function readMember<T>(reader: RlpReader, type: string, name: string, read: () => T): T {
  expectMore(reader, type);
  try {
    return read();
  } catch (error) {
    throw within(error, `.${name}`);
  }
}

function readElements<T>(reader: RlpReader, type: string, read: () => T): T[] {
  const elements: T[] = [];
  reader.enterList(type);
  while (!reader.atEnd) {
    try {
      elements.push(read());
    } catch (error) {
      throw within(error, `[${elements.length}]`);
    }
  }
  reader.leaveList();
  return elements;
}

function through<T>(type: string, read: (type: string) => T): T {
  try {
    return read(type);
  } catch (error) {
    throw throughType(error, type);
  }
}
