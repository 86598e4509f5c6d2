import type { Address } from "../../../protocol/primitives/bytes.ts";
import { TransactionRejection } from "../errors.ts";
import { callRecipient, type EffectRules } from "./effect.ts";
import { checkNotReserved, hasProgram } from "./recipient.ts";

/** Moves value to an account without code; a memo is the same with an input that nobody reads. */
export const transfer: EffectRules = {
  check({ to }, accounts) {
    checkNotReserved(to);
    if (hasProgram(accounts, to as Address)) {
      throw new TransactionRejection("TYPE_RULE", "recipient must be an EOA without code");
    }
  },
  run: callRecipient,
};
