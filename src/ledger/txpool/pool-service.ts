import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { SenderRecovery } from "../../protocol/transaction/recovery.ts";
import type { Chain } from "../chain/chain.ts";
import type { BlobVerifier } from "./blob-proofs.ts";
import type { FeeLending } from "./fee-lending.ts";
import { TransactionJournal } from "./journal.ts";
import type { TransactionPoolOptions } from "./options.ts";
import { ChainTransactionPool } from "./transaction-pool.ts";

/** How often queues are looked at for having waited too long. */
const EXPIRY_INTERVAL_MS = 60_000;

/** What `createTransactionPool` needs. */
export interface TransactionPoolParts {
  readonly chain: Chain;
  readonly recovery: SenderRecovery;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "files">;
  readonly logger: Logger;
  /** `options.journal` is the path of the journal file; empty = none. */
  readonly options?: Partial<TransactionPoolOptions>;
  /** Absent = nobody lends fees. */
  readonly lending?: FeeLending | undefined;
  /** Absent = blob transactions are refused. */
  readonly blobs?: BlobVerifier | undefined;
}

/** A pool with a life: its journal, and timers for expiry and for rewriting the journal. */
export interface PoolService {
  readonly pool: ChainTransactionPool;
  /** Takes the journal's transactions back, those with blobs once they are verified, and starts the timers. */
  start(): Promise<void>;
  /** Stops timers and pool, and brings the journal up to date. Can be called twice. */
  stop(): Promise<void>;
}

/** Makes the pool of a chain; it takes transactions at once, the journal's after `start`. */
export function createTransactionPool(parts: TransactionPoolParts): PoolService {
  const { runtime, logger } = parts;
  const journaled = parts.options?.noLocals !== true && (parts.options?.journal ?? "") !== "";
  const journal = journaled ? journalOf(parts, (transaction) => isWaiting(transaction)) : undefined;
  const pool = new ChainTransactionPool({
    chain: parts.chain,
    recovery: parts.recovery,
    lending: parts.lending,
    blobs: parts.blobs,
    now: () => runtime.clock.now(),
    ...(parts.options && { options: parts.options }),
    ...(journal && { onLocal: ({ transaction }) => journal.add(transaction) }),
  });
  const isWaiting: TransactionJournalFilter = (transaction) => pool.has(transaction);
  const timers: Cancel[] = [];
  const restore = async (file: TransactionJournal): Promise<void> => {
    const saved = await file.load();
    const blobs = saved.filter(({ sidecar }) => sidecar !== undefined);
    const others = saved.filter(({ sidecar }) => sidecar === undefined);
    const taken = await pool.addAll(others, { local: true });
    // Proofs take seconds to verify at first. The node does not wait for it, and until then the file keeps the blobs.
    const report = (verified: readonly unknown[]) => reportLoad(logger, [...taken, ...verified]);
    void pool.addAll(blobs, { local: true }).then(report, (error) => reportFault(logger, error));
    await file.rewrite([...pool.locals(), ...blobs]);
  };

  return {
    pool,
    async start() {
      if (journal !== undefined) await restore(journal);
      timers.push(every(runtime, EXPIRY_INTERVAL_MS, () => pool.expire()));
      if (journal === undefined) return;
      const rewrite = () => void journal.rewrite(pool.locals());
      timers.push(every(runtime, pool.options.journalIntervalMs, rewrite));
    },
    async stop() {
      for (const cancel of timers.splice(0)) cancel();
      pool.close();
      await journal?.close();
    },
  };
}

type TransactionJournalFilter = ConstructorParameters<typeof TransactionJournal>[0]["isWaiting"];

function journalOf(
  { runtime, logger, options }: TransactionPoolParts,
  isWaiting: TransactionJournalFilter,
): TransactionJournal {
  return new TransactionJournal({
    files: runtime.files,
    timers: runtime.timers,
    path: options?.journal ?? "",
    isWaiting,
    onDamage: ({ copy, at, transactions }) => {
      const text = "the journal of local transactions is damaged; those before the damage are taken";
      logger.warn(text, { transactions, damagedAtByte: at, keptAs: copy });
    },
    onError: (error) => reportFault(logger, error),
  });
}

function reportFault(logger: Logger, error: unknown): void {
  logger.error("the journal of local transactions failed", { error });
}

function reportLoad(logger: Logger, results: readonly unknown[]): void {
  const dropped = results.filter((result) => result instanceof Error).length;
  if (results.length > 0) logger.info("loaded the journal", { transactions: results.length, dropped });
}

function every({ timers }: Pick<Runtime, "timers">, intervalMs: number, action: () => void): Cancel {
  let cancel: Cancel;
  const tick = (): void => {
    cancel = timers.schedule(intervalMs, tick);
    action();
  };
  cancel = timers.schedule(intervalMs, tick);
  return () => cancel();
}
