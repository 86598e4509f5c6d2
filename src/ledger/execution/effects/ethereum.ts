import { callRecipient, createContract, type EffectRules } from "./effect.ts";
import { checkNotReserved } from "./recipient.ts";

/** Calls anybody, or creates a contract when there is no recipient. */
export const ethereum: EffectRules = {
  check({ to }) {
    checkNotReserved(to);
  },
  run: (call) => (call.tx.to === undefined ? createContract(call) : callRecipient(call)),
};
