import { encodeItem, type Item } from "../codec/rlp/item.ts";
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
} from "./key.ts";

/** Encoding of a legacy key. */
const LEGACY = Uint8Array.of(0x01, 0xc0);

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
 * @throws RlpError; AccountFormatError `KEY_TYPE`, `KEY_POINT`
 */
export function decodeAccountKey(bytes: Uint8Array): AccountKey {
  const reader = new RlpReader(bytes);
  const key = readAccountKey(reader, checkedPoint);
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
      return readMultisig(reader, point);
    case "roleBased":
      return readRoleBased(reader, point, nesting + 1);
    default:
      throw new AccountFormatError("KEY_TYPE", "undefined account key type");
  }
}

function readEmptyList(reader: RlpReader, type: string): void {
  reader.enterList(type);
  reader.leaveList();
}

function readMultisig(reader: RlpReader, point: PointReader): MultisigKey {
  reader.enterList("accountkey.AccountKeyWeightedMultiSig");
  const threshold = reader.uint("uint", 8);
  const keys: { weight: bigint; publicKey: Uint8Array }[] = [];
  reader.enterList("accountkey.WeightedPublicKeys");
  while (!reader.atEnd) {
    reader.enterList("accountkey.WeightedPublicKey");
    keys.push({ weight: reader.uint("uint", 8), publicKey: point(reader) });
    reader.leaveList();
  }
  reader.leaveList();
  reader.leaveList();
  return { type: "weightedMultisig", threshold, keys };
}

function readRoleBased(reader: RlpReader, point: PointReader, nesting: number): RoleBasedKey {
  if (nesting > MAX_NESTING) throw new AccountKeyError("KEY_NESTED");
  const encoded: Uint8Array[] = [];
  reader.enterList("[][]uint8");
  while (!reader.atEnd) encoded.push(reader.bytes(roleContext(encoded.length)));
  reader.leaveList();
  const keys = encoded.map((bytes) => {
    const inner = new RlpReader(bytes);
    const key = readAccountKey(inner, point, nesting);
    inner.finish();
    return key;
  });
  return { type: "roleBased", keys };
}

/** The reference node's error when a role's key is not a byte string. */
function roleContext(index: number): string {
  return `[]uint8, decoding into (accountkey.AccountKeySerializer)(accountkey.AccountKeyRoleBased)([][]uint8)[${index}]`;
}
