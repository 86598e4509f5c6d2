import { hasCode } from "../../../protocol/account/account.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { TransactionRejection } from "../errors.ts";
import { callRecipient, type EffectRules } from "./effect.ts";

/** Calls a contract or an account that delegates to one. */
export const execute: EffectRules = {
  check({ to }, accounts) {
    const account = accounts.account(to as Address);
    if (account === undefined || (account.type === "eoa" && !hasCode(account))) {
      throw new TransactionRejection("TYPE_RULE", "recipient must be an EOA with code or an SCA");
    }
    if (!hasCode(account)) {
      const text = "not a program account (e.g., an account having code and storage)";
      throw new TransactionRejection("TYPE_RULE", text);
    }
  },
  run: callRecipient,
};
