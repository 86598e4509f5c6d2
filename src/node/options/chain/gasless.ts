import { DEFAULT_GASLESS } from "../../../ledger/extensions/gasless/gasless.ts";
import * as t from "../../../platform/config/types.ts";
import { countOrAny, isRecord, tokensOf } from "../conversions.ts";
import { nodeOption } from "../member.ts";

const count = t.integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** Whether, and up to what amount, the proposer lends the fees of gasless transactions. @see KIP-247 */
export const gaslessOptions = {
  gaslessDisabled: nodeOption({
    member: "gasless",
    flag: "gasless.disable",
    aliases: ["kaiax.module.gasless.disable"],
    env: ["GASLESS_DISABLE"],
    type: t.boolean,
    default: false,
    doc: "Lends no fees to gasless transactions.",
    accepts: { what: "false or an object", test: (value) => value === false || isRecord(value) },
    as: (isDisabled) => (isDisabled ? false : undefined),
  }),
  gaslessTokens: nodeOption({
    member: "gasless.allowedTokens",
    flag: "gasless.allowed-tokens",
    aliases: ["kaiax.module.gasless.allowed-tokens"],
    env: ["GASLESS_ALLOWED_TOKENS"],
    type: t.list,
    default: ["all"],
    doc: "Tokens for which fees are lent, among those of the swap router; all means every one of them.",
    accepts: {
      what: "a list of addresses of 20 bytes",
      test: (value) => t.isListOf(value, t.address.accepts.test),
    },
    as: tokensOf,
  }),
  gaslessMaxPending: nodeOption({
    member: "gasless.maxPending",
    flag: "gasless.max-bundle-txs-in-pending",
    aliases: ["kaiax.module.gasless.max-bundle-txs-in-pending"],
    env: ["GASLESS_MAX_BUNDLE_TXS_IN_PENDING"],
    type: count,
    default: DEFAULT_GASLESS.maxPending,
    doc: "Maximum number of executable gasless transactions; 0 or less means no limit.",
    as: countOrAny,
  }),
  gaslessMaxQueued: nodeOption({
    member: "gasless.maxQueued",
    flag: "gasless.max-bundle-txs-in-queue",
    aliases: ["kaiax.module.gasless.max-bundle-txs-in-queue"],
    env: ["GASLESS_MAX_BUNDLE_TXS_IN_QUEUE"],
    type: count,
    default: DEFAULT_GASLESS.maxQueued,
    doc: "Maximum number of queued gasless transactions; 0 or less means no limit.",
    as: countOrAny,
  }),
  gaslessCheckLevel: nodeOption({
    member: "gasless.checkLevel",
    flag: "gasless.balance-check-level",
    aliases: ["kaiax.module.gasless.balance-check-level"],
    env: ["GASLESS_BALANCE_CHECK_LEVEL"],
    type: count,
    default: DEFAULT_GASLESS.checkLevel,
    doc:
      "What is checked before a fee is lent: 0 amounts and deadline, 1 also balance and allowance, 2 also the rate, 3 " +
      "also whether the sender has code.",
  }),
} as const;
