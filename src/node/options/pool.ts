import { option } from "../../platform/config/option.ts";
import * as t from "../../platform/config/types.ts";

const count = t.integer(0, Number.MAX_SAFE_INTEGER);

/** Limits of the transaction pool. */
export const poolOptions = {
  poolNoLocals: option({
    flag: "txpool.nolocals",
    env: ["TXPOOL_NOLOCALS"],
    type: t.boolean,
    default: false,
    doc: "Gives transactions sent to this node no preference.",
  }),
  poolAllowLocalAnchoring: option({
    flag: "txpool.allow-local-anchortx",
    env: ["TXPOOL_ALLOW_LOCAL_ANCHORTX"],
    type: t.boolean,
    default: false,
    doc: "Accepts chain data anchoring transactions sent to this node.",
  }),
  poolDenyRemote: option({
    flag: "txpool.deny.remotetx",
    env: ["TXPOOL_DENY_REMOTETX"],
    type: t.boolean,
    default: false,
    doc: "Refuses transactions from peers.",
  }),
  poolJournal: option({
    flag: "txpool.journal",
    env: ["TXPOOL_JOURNAL"],
    type: t.string,
    default: "transactions.rlp",
    doc: "File that keeps local transactions over a restart; empty for none.",
  }),
  poolJournalIntervalMs: option({
    flag: "txpool.journal-interval",
    env: ["TXPOOL_JOURNAL_INTERVAL"],
    type: t.timer(0),
    default: 3_600_000,
    doc: "Time between rewrites of the journal.",
  }),
  poolPriceLimit: option({
    flag: "txpool.pricelimit",
    env: ["TXPOOL_PRICELIMIT"],
    type: t.bigNumber,
    default: 1n,
    doc: "Without effect: the chain sets the lowest price; kept for scripts.",
  }),
  poolPriceBump: option({
    flag: "txpool.pricebump",
    env: ["TXPOOL_PRICEBUMP"],
    type: count,
    default: 10,
    doc: "Without effect: a replacement needs any higher price; kept for scripts.",
  }),
  poolExecSlotsAccount: option({
    flag: "txpool.exec-slots.account",
    env: ["TXPOOL_EXEC_SLOTS_ACCOUNT"],
    type: count,
    default: 16,
    doc: "Executable transactions guaranteed per account.",
  }),
  poolExecSlotsAll: option({
    flag: "txpool.exec-slots.all",
    env: ["TXPOOL_EXEC_SLOTS_ALL"],
    type: count,
    default: 4096,
    doc: "Executable transactions in all.",
  }),
  poolNonExecSlotsAccount: option({
    flag: "txpool.nonexec-slots.account",
    env: ["TXPOOL_NONEXEC_SLOTS_ACCOUNT"],
    type: count,
    default: 64,
    doc: "Queued transactions per account.",
  }),
  poolNonExecSlotsAll: option({
    flag: "txpool.nonexec-slots.all",
    env: ["TXPOOL_NONEXEC_SLOTS_ALL"],
    type: count,
    default: 1024,
    doc: "Queued transactions in all.",
  }),
  poolLifetimeMs: option({
    flag: "txpool.lifetime",
    env: ["TXPOOL_LIFETIME"],
    type: t.duration,
    default: 300_000,
    doc: "Longest stay of a queued transaction.",
  }),
  poolKeepLocals: option({
    flag: "txpool.keeplocals",
    env: ["TXPOOL_KEEPLOCALS"],
    type: t.boolean,
    default: false,
    doc: "Lets queued local transactions stay for ever.",
  }),
} as const;
