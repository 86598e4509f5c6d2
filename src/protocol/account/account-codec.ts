import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { allocateBytes, bigintToBytes, EMPTY_BYTES, equalBytes } from "../primitives/bytes.ts";
import { type Account, EMPTY_CODE_HASH, EMPTY_ROOT, hasCode, hasStorage } from "./account.ts";
import { AccountFormatError } from "./errors.ts";
import { keyItems, readAccountKey, trustedPoint } from "./key-codec.ts";

const TYPE_EOA = 1;
const TYPE_SCA = 2;
const TRUE = Uint8Array.of(1);

/**
 * Encodes an account as stored in the state trie: a type byte, then RLP. An EOA without code, storage and code info
 * has the short form `[nonce, balance, humanReadable, key…]`; all others nest that list in
 * `[[…], storageRoot, codeHash, codeInfo]`. The items of the key are spliced in.
 */
export function encodeAccount(account: Account): Uint8Array {
  const common: Item = [
    bigintToBytes(account.nonce),
    bigintToBytes(account.balance),
    account.humanReadable ? TRUE : EMPTY_BYTES,
    ...keyItems(account.key),
  ];
  const short = account.type === "eoa" && account.codeInfo === 0 && !hasCode(account) && !hasStorage(account);
  const body = short
    ? common
    : [common, account.storageRoot, account.codeHash, bigintToBytes(BigInt(account.codeInfo))];
  return withTypeByte(account.type === "eoa" ? TYPE_EOA : TYPE_SCA, encodeItem(body));
}

/**
 * Decodes the output of `encodeAccount`. For the node's own database: public keys are not checked to be on the curve.
 * @returns an account that does not keep `bytes` alive
 * @throws RlpError; AccountFormatError `ACCOUNT_TYPE`
 */
export function decodeAccount(bytes: Uint8Array): Account {
  const type = bytes[0] === TYPE_EOA ? "eoa" : bytes[0] === TYPE_SCA ? "sca" : undefined;
  if (type === undefined)
    throw new AccountFormatError("ACCOUNT_TYPE", "undefined account type", { byte: bytes[0] });
  const reader = new RlpReader(bytes, 1);
  reader.enterList("account.AccountCommon");
  const full = reader.isList();
  if (full) reader.enterList("account.AccountCommon");
  const nonce = reader.uint("uint64", 8);
  const balance = reader.uint();
  const humanReadable = reader.bool();
  const key = readAccountKey(reader, trustedPoint);
  const { storageRoot, codeHash, codeInfo } = full ? readProgram(reader) : NO_PROGRAM;
  reader.leaveList();
  reader.finish();
  return { type, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo };
}

const NO_PROGRAM = { storageRoot: EMPTY_ROOT, codeHash: EMPTY_CODE_HASH, codeInfo: 0 };

function readProgram(reader: RlpReader): typeof NO_PROGRAM {
  reader.leaveList();
  return {
    storageRoot: ownHash(reader.fixed(32, "common.ExtHash"), EMPTY_ROOT),
    codeHash: ownHash(reader.bytes(), EMPTY_CODE_HASH),
    codeInfo: reader.number("params.CodeInfo"),
  };
}

/** One object for the frequent empty hash makes later comparisons a pointer test. */
function ownHash(hash: Uint8Array, empty: Uint8Array): Uint8Array {
  return equalBytes(hash, empty) ? empty : hash.slice();
}

function withTypeByte(type: number, body: Uint8Array): Uint8Array {
  const out = allocateBytes(body.length + 1);
  out[0] = type;
  out.set(body, 1);
  return out;
}
