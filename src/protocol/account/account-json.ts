import type { Json } from "../codec/json/value.ts";
import { bytesToHex } from "../primitives/hex.ts";
import type { Account } from "./account.ts";
import { toNumber } from "./json-fields.ts";
import { accountKeyToJson } from "./key-json.ts";

/** An account as `getAccount` shows it: the nonce is a JSON number, the code hash base64. */
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
