import type { Json } from "../codec/json/value.ts";
import type { Hash } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { MAX_UINT64 } from "../primitives/integers.ts";
import { type Account, EMPTY_CODE_HASH, EMPTY_ROOT, newEoa } from "./account.ts";
import { AccountFormatError } from "./errors.ts";
import { asObject, asUint, type JsonObject, member, toNumber } from "./json-fields.ts";
import { accountKeyFromJson, accountKeyToJson } from "./key-json.ts";

/** The JSON form of an account as in `getAccount`: the nonce is a JSON number, the code hash base64. */
export function accountToJson(account: Account): { [key: string]: Json } {
  return {
    accType: account.type === "eoa" ? 1 : 2,
    account: {
      nonce: toNumber(account.nonce),
      balance: `0x${account.balance.toString(16)}`,
      humanReadable: account.humanReadable,
      key: accountKeyToJson(account.key),
      storageRoot: bytesToHex(account.storageRoot),
      codeHash: btoa(String.fromCharCode(...account.codeHash)),
      codeFormat: account.codeInfo & 0x0f,
      vmVersion: account.codeInfo >> 4,
    },
  };
}

const CONTRACT = 2n;

/**
 * Parses the JSON form of an account as in `getAccount`. Code hash, storage root and code format may be left out, as releases before
 * EIP-7702 do for external accounts.
 * @throws AccountFormatError
 */
export function accountFromJson(json: Json): Account {
  const outer = asObject(json, "value of type AccountSerializer");
  const isContract = asUint(member(outer, "accType") ?? 1, 255n, "struct field accType") === CONTRACT;
  const fields = asObject(member(outer, "account") ?? null, "value of type Account");
  const nibble = (name: string) => Number(asUint(member(fields, name) ?? 0, 15n, `struct field ${name}`));
  return {
    ...newEoa(BigInt(String(member(fields, "balance") ?? 0))),
    type: isContract ? "sca" : "eoa",
    nonce: asUint(member(fields, "nonce") ?? 0, MAX_UINT64, "struct field nonce"),
    humanReadable: member(fields, "humanReadable") === true,
    key: accountKeyFromJson(member(fields, "key") ?? null),
    storageRoot: hashOf(fields, "storageRoot", EMPTY_ROOT),
    codeHash: hashOf(fields, "codeHash", EMPTY_CODE_HASH),
    codeInfo: nibble("codeFormat") | (nibble("vmVersion") << 4),
  };
}

/** 32 bytes as hex or base64. */
function hashOf(fields: JsonObject, name: string, absent: Hash): Hash {
  const text = member(fields, name);
  if (typeof text !== "string" || text === "") return absent;
  const bytes = text.startsWith("0x")
    ? hexToBytes(text)
    : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (bytes.length === 32) return bytes;
  throw new AccountFormatError("KEY_JSON", `${name} has ${bytes.length} bytes and not 32`);
}
