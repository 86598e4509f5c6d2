import { DEFAULT_POOL_OPTIONS } from "../../../ledger/txpool/options.ts";
import * as t from "../../../platform/config/types.ts";
import { nodeOption, withoutEffect } from "../member.ts";

const count = t.integer(0, Number.MAX_SAFE_INTEGER);

/** Limits of the transaction pool. */
export const poolOptions = {
  poolNoLocals: nodeOption({
    member: "pool.noLocals",
    flag: "txpool.nolocals",
    env: ["TXPOOL_NOLOCALS"],
    type: t.boolean,
    default: DEFAULT_POOL_OPTIONS.noLocals,
    doc: "Gives transactions sent to this node no preference.",
  }),
  poolAllowLocalAnchoring: nodeOption({
    member: "pool.allowLocalAnchoring",
    flag: "txpool.allow-local-anchortx",
    env: ["TXPOOL_ALLOW_LOCAL_ANCHORTX"],
    type: t.boolean,
    default: DEFAULT_POOL_OPTIONS.allowLocalAnchoring,
    doc: "Accepts chain data anchoring transactions sent to this node.",
  }),
  poolDenyRemote: nodeOption({
    member: "pool.denyRemote",
    flag: "txpool.deny.remotetx",
    env: ["TXPOOL_DENY_REMOTETX"],
    type: t.boolean,
    default: DEFAULT_POOL_OPTIONS.denyRemote,
    doc: "Refuses transactions from peers.",
  }),
  poolJournal: nodeOption({
    member: "pool.journal",
    flag: "txpool.journal",
    env: ["TXPOOL_JOURNAL"],
    type: t.string,
    default: DEFAULT_POOL_OPTIONS.journal,
    doc: "File that keeps local transactions across restarts; empty for none.",
  }),
  poolJournalIntervalMs: nodeOption({
    member: "pool.journalIntervalMs",
    flag: "txpool.journal-interval",
    env: ["TXPOOL_JOURNAL_INTERVAL"],
    type: t.timer(0),
    default: DEFAULT_POOL_OPTIONS.journalIntervalMs,
    doc: "Time between rewrites of the journal.",
  }),
  poolPriceLimit: withoutEffect({
    flag: "txpool.pricelimit",
    env: ["TXPOOL_PRICELIMIT"],
    type: t.bigNumber,
    default: 1n,
    doc: "Without effect: the chain sets the lowest price; kept for scripts.",
  }),
  poolPriceBump: withoutEffect({
    flag: "txpool.pricebump",
    env: ["TXPOOL_PRICEBUMP"],
    type: count,
    default: 10,
    doc: "Without effect: a replacement needs any higher price; kept for scripts.",
  }),
  poolExecSlotsAccount: nodeOption({
    member: "pool.execSlotsAccount",
    flag: "txpool.exec-slots.account",
    env: ["TXPOOL_EXEC_SLOTS_ACCOUNT"],
    type: count,
    default: DEFAULT_POOL_OPTIONS.execSlotsAccount,
    doc: "Executable transactions guaranteed per account.",
  }),
  poolExecSlotsAll: nodeOption({
    member: "pool.execSlotsAll",
    flag: "txpool.exec-slots.all",
    env: ["TXPOOL_EXEC_SLOTS_ALL"],
    type: count,
    default: DEFAULT_POOL_OPTIONS.execSlotsAll,
    doc: "Executable transactions in all.",
  }),
  poolNonExecSlotsAccount: nodeOption({
    member: "pool.nonExecSlotsAccount",
    flag: "txpool.nonexec-slots.account",
    env: ["TXPOOL_NONEXEC_SLOTS_ACCOUNT"],
    type: count,
    default: DEFAULT_POOL_OPTIONS.nonExecSlotsAccount,
    doc: "Queued transactions per account.",
  }),
  poolNonExecSlotsAll: nodeOption({
    member: "pool.nonExecSlotsAll",
    flag: "txpool.nonexec-slots.all",
    env: ["TXPOOL_NONEXEC_SLOTS_ALL"],
    type: count,
    default: DEFAULT_POOL_OPTIONS.nonExecSlotsAll,
    doc: "Queued transactions in all.",
  }),
  poolLifetimeMs: nodeOption({
    member: "pool.lifetimeMs",
    flag: "txpool.lifetime",
    env: ["TXPOOL_LIFETIME"],
    type: t.timer(0),
    default: DEFAULT_POOL_OPTIONS.lifetimeMs,
    doc: "Longest time that a transaction stays queued.",
  }),
  poolKeepLocals: nodeOption({
    member: "pool.keepLocals",
    flag: "txpool.keeplocals",
    env: ["TXPOOL_KEEPLOCALS"],
    type: t.boolean,
    default: DEFAULT_POOL_OPTIONS.keepLocals,
    doc: "Keeps queued local transactions forever.",
  }),
} as const;
