import { UPPER_GAS_LIMIT } from "../../protocol/params/gas.ts";

/**
 * Settings of the transaction pool, with the names of the flags in comments. `txpool.pricelimit` and `txpool.pricebump` have
 * no counterpart: the protocol sets the minimum price, and any higher price is enough for a replacement.
 */
export interface TransactionPoolOptions {
  /** `txpool.nolocals`: transactions submitted over RPC get no privileges. */
  readonly noLocals: boolean;
  /** `txpool.allow-local-anchortx` */
  readonly allowLocalAnchoring: boolean;
  /** `txpool.deny.remotetx`: refuses transactions from peers. */
  readonly denyRemote: boolean;
  /** `txpool.journal`: file of local transactions; empty = none. */
  readonly journal: string;
  /** `txpool.journal-interval`: time between rewrites of the journal, at least one second. */
  readonly journalIntervalMs: number;
  /** `txpool.exec-slots.account`: pending transactions that a sender keeps when the pool overflows. */
  readonly execSlotsAccount: number;
  /** `txpool.exec-slots.all` */
  readonly execSlotsAll: number;
  /** `txpool.nonexec-slots.account` */
  readonly nonExecSlotsAccount: number;
  /** `txpool.nonexec-slots.all` */
  readonly nonExecSlotsAll: number;
  /** `txpool.keeplocals`: queued transactions of local senders never expire. */
  readonly keepLocals: boolean;
  /** Highest gas limit of a transaction. */
  readonly maxGas: bigint;
  /** `txpool.lifetime`: how long a sender's queue may go without a promotion before it is dropped. */
  readonly lifetimeMs: number;
}

/** The reference node's defaults. */
export const DEFAULT_POOL_OPTIONS: TransactionPoolOptions = {
  noLocals: false,
  allowLocalAnchoring: false,
  denyRemote: false,
  journal: "transactions.rlp",
  journalIntervalMs: 3_600_000,
  execSlotsAccount: 16,
  execSlotsAll: 4096,
  nonExecSlotsAccount: 64,
  nonExecSlotsAll: 1024,
  keepLocals: false,
  maxGas: UPPER_GAS_LIMIT,
  lifetimeMs: 300_000,
};

/** Fills in defaults and raises unworkable values to the minimum. */
export function completePoolOptions(given: Partial<TransactionPoolOptions> = {}): TransactionPoolOptions {
  const options = { ...DEFAULT_POOL_OPTIONS, ...given };
  return { ...options, journalIntervalMs: Math.max(1_000, options.journalIntervalMs) };
}
