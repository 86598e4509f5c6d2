import type { Address } from "../../../protocol/primitives/bytes.ts";
import { TransactionRejection } from "../errors.ts";
import { callRecipient, type EffectRules } from "./effect.ts";
import { hasProgram } from "./recipient.ts";

/** Calls a contract or an account that delegates to one. */
export const execute: EffectRules = {
  check({ to }, accounts) {
    if (hasProgram(accounts, to as Address)) return;
    throw new TransactionRejection("TYPE_RULE", "recipient must be an EOA with code or an SCA");
  },
  run: callRecipient,
};
