import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";

const count = t.integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** Whether, and how far, the proposer lends the fees of gasless transactions. @see KIP-247 */
export const gaslessOptions = {
  gaslessDisabled: option({
    flag: "gasless.disable",
    aliases: ["kaiax.module.gasless.disable"],
    env: ["GASLESS_DISABLE"],
    type: t.boolean,
    default: false,
    doc: "Lends no fees to gasless transactions.",
  }),
  gaslessTokens: option({
    flag: "gasless.allowed-tokens",
    aliases: ["kaiax.module.gasless.allowed-tokens"],
    env: ["GASLESS_ALLOWED_TOKENS"],
    type: t.list,
    default: ["all"],
    doc: "Tokens for which fees are lent, among those of the swap router; all for every one.",
  }),
  gaslessMaxPending: option({
    flag: "gasless.max-bundle-txs-in-pending",
    aliases: ["kaiax.module.gasless.max-bundle-txs-in-pending"],
    env: ["GASLESS_MAX_BUNDLE_TXS_IN_PENDING"],
    type: count,
    default: 100,
    doc: "Most gasless transactions that are executable at once; 0 or less for any number.",
  }),
  gaslessMaxQueued: option({
    flag: "gasless.max-bundle-txs-in-queue",
    aliases: ["kaiax.module.gasless.max-bundle-txs-in-queue"],
    env: ["GASLESS_MAX_BUNDLE_TXS_IN_QUEUE"],
    type: count,
    default: 200,
    doc: "Most gasless transactions that wait for others at once; 0 or less, and on a development chain, any number.",
  }),
  gaslessCheckLevel: option({
    flag: "gasless.balance-check-level",
    aliases: ["kaiax.module.gasless.balance-check-level"],
    env: ["GASLESS_BALANCE_CHECK_LEVEL"],
    type: count,
    default: 3,
    doc: "What is looked at before a fee is lent: 0 amounts and deadline, 1 also balance and allowance, 2 also the rate, 3 also whether the sender has code.",
  }),
} as const;
