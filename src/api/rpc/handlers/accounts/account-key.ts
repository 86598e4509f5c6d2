import { decodeAccountKey } from "../../../../protocol/account/key-codec.ts";
import { accountKeyToJson, encodeAccountKeyJson } from "../../../../protocol/account/key-json.ts";
import { MAX_TRANSACTION_SIZE } from "../../../../protocol/transaction/encoding.ts";
import { refused } from "../../engine/errors.ts";
import type { accountKeys } from "../../spec/accounts/account-key.ts";
import type { Handlers } from "../../spec/method.ts";

/** Encoding and decoding of account keys; needs no chain. */
export const accountKeyHandlers: Handlers<typeof accountKeys> = {
  encodeAccountKey: ({ key }) => encodeAccountKeyJson(key),
  decodeAccountKey({ encoded }) {
    // No transaction could bring it, and each of its points costs a square root.
    if (encoded.length > MAX_TRANSACTION_SIZE) throw refused("oversized data");
    const { keyType, key } = accountKeyToJson(
      decodeAccountKey(encoded, "*accountkey.AccountKeySerializer"),
    ) as { keyType: number; key: never };
    return { keyType, keytype: keyType, key };
  },
};
