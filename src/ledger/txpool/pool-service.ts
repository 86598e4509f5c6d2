import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { Chain } from "../chain/chain.ts";
import { TransactionPoolError, type TransactionPoolErrorCode } from "./errors.ts";
import type { FeeLending } from "./fee-lending.ts";
import { TransactionJournal } from "./journal.ts";
import type { TransactionPoolOptions } from "./options.ts";
import type { BlobVerifier } from "./rules/blob-proofs.ts";
import { ChainTransactionPool } from "./transaction-pool.ts";

/** How often queues are checked for expiry. */
const EXPIRY_INTERVAL_MS = 60_000;

/** Dependencies of `createTransactionPool`. */
export interface TransactionPoolParts {
  readonly chain: Chain;
  readonly recovery: SenderRecovery;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "files">;
  readonly logger: Logger;
  /** `options.journal` is the path of the journal file; empty = none. */
  readonly options?: Partial<TransactionPoolOptions>;
  /** Absent = no fee lending. */
  readonly lending?: FeeLending | undefined;
  /** Absent = blob transactions are refused. */
  readonly blobs?: BlobVerifier | undefined;
}

/** A pool with its lifecycle: the journal, and timers for expiry and journal rotation. */
export interface PoolService {
  readonly pool: ChainTransactionPool;
  /** Loads the journal's transactions, those with blobs as soon as they are verified, and starts the timers. */
  start(): Promise<void>;
  /** Stops timers and pool, and rewrites the journal with the pool's transactions. May be called twice. */
  stop(): Promise<void>;
}

/** Creates the pool of a chain. It accepts transactions right away; those of the journal are loaded by `start`. */
export function createTransactionPool(parts: TransactionPoolParts): PoolService {
  const { runtime, logger } = parts;
  const journaled = parts.options?.noLocals !== true && (parts.options?.journal ?? "") !== "";
  /** Blob transactions from the journal whose proofs are yet to be verified. */
  let unverified: readonly Transaction[] = [];
  let isRestored = false;
  const journal = journaled ? journalOf(parts, () => [...pool.locals(), ...unverified]) : undefined;
  const pool = new ChainTransactionPool({
    chain: parts.chain,
    recovery: parts.recovery,
    lending: parts.lending,
    blobs: parts.blobs,
    now: () => runtime.clock.elapsed(),
    ...(parts.options && { options: parts.options }),
    journal: journal && {
      // Transactions loaded from the journal are already in it, and it must not shrink until all of them are processed.
      add: (transaction) =>
        isRestored && !unverified.includes(transaction) ? journal.add(transaction) : undefined,
      rotate: () => isRestored && journal.rotate(),
      settled: () => journal.settled(),
      get health() {
        return journal.health;
      },
    },
  });
  const timers: Cancel[] = [];
  const restore = async (file: TransactionJournal): Promise<void> => {
    const saved = await file.load();
    unverified = saved.filter(({ sidecar }) => sidecar !== undefined);
    const others = saved.filter(({ sidecar }) => sidecar === undefined);
    const taken = await pool.addAll(others, { local: true });
    // The first proof verification takes seconds. The node does not wait for it; until then the file keeps the blobs.
    const report = (verified: readonly unknown[]) => reportLoad(logger, [...taken, ...verified]);
    void pool
      .addAll(unverified, { local: true })
      .then(report, (error) => reportFault(logger, error))
      .finally(() => {
        unverified = [];
      });
    isRestored = true;
    file.rotate();
    await file.settled();
  };

  return {
    pool,
    async start() {
      if (journal !== undefined) await restore(journal);
      timers.push(every(runtime, EXPIRY_INTERVAL_MS, () => pool.expire()));
      if (journal === undefined) return;
      timers.push(every(runtime, pool.options.journalIntervalMs, () => journal.rotate()));
    },
    async stop() {
      for (const cancel of timers.splice(0)) cancel();
      pool.close();
      if (isRestored) await journal?.close();
    },
  };
}

function journalOf(
  { runtime, logger, options }: TransactionPoolParts,
  waiting: () => Iterable<Transaction>,
): TransactionJournal {
  return new TransactionJournal({
    files: runtime.files,
    timers: runtime.timers,
    path: options?.journal ?? "",
    waiting,
    onDamage: ({ copy, at, transactions }) => {
      const text = "the journal of local transactions is damaged; those before the damage are loaded";
      logger.warn(text, { transactions, damagedAtByte: at, keptAs: copy });
    },
    onHealth: (now) => {
      if (now.state === "healthy") logger.info("the journal of local transactions takes writes again");
      else
        logger.error("the journal of local transactions failed: it takes none until writes succeed again", {
          code: now.code,
          reason: now.reason,
        });
    },
  });
}

function reportFault(logger: Logger, error: unknown): void {
  logger.error("the journal of local transactions failed", { error });
}

function reportLoad(logger: Logger, results: readonly unknown[]): void {
  const errors = results.filter((result) => result instanceof Error);
  const transactions = results.length;
  if (transactions > 0) logger.info("loaded the journal", { transactions, dropped: errors.length });
  const refused = errors.filter(
    (error) => !(error instanceof TransactionPoolError && SETTLED.has(error.code)),
  );
  if (refused.length === 0) return;
  const text = "transactions of the journal are refused, although their hashes were answered";
  logger.warn(text, { refused: refused.length, first: refused[0]?.message });
}

/** Codes of transactions in the journal that a block or another transaction has settled since. */
const SETTLED: ReadonlySet<TransactionPoolErrorCode> = new Set(["KNOWN_TRANSACTION", "NONCE_TOO_LOW"]);

function every({ timers }: Pick<Runtime, "timers">, intervalMs: number, action: () => void): Cancel {
  let cancel: Cancel;
  const tick = (): void => {
    cancel = timers.schedule(intervalMs, tick);
    action();
  };
  cancel = timers.schedule(intervalMs, tick);
  return () => cancel();
}
