import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  createInlineRecovery,
  keepRows,
  recoveryPayload,
  type SenderRecovery,
} from "../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { WorkerThread, workerScript } from "./worker-thread.ts";

/** Minimum batch worth sending to another thread. */
const MIN_BATCH = 64;
/**
 * Threads start after this many transactions in batches larger than a job: each thread spends a quarter of a second of processor time
 * compiling its code, in which this thread recovers five thousand.
 */
const START_THRESHOLD = 8_192;
/** Eight threads recover ten times as fast as one executes; sixteen, on sixteen cores, made an import slower. */
const MAX_THREADS = 8;
/** Transactions per job: enough to amortise messages, and few enough to spread over all threads. */
const JOB_SIZE = 256;

/** Recovery of signers on other cores. Threads start on demand and end with `close`. */
export interface RecoveryPool extends SenderRecovery {
  close(): Promise<void>;
}

/** A thread that maps a `recoveryPayload` to rows; started on demand. */
type RecoveryThread = Pick<WorkerThread<Uint8Array>, "ask" | "close">;

/**
 * Creates a pool; small batches are recovered in this thread.
 * @param threads - by default one per core up to `MAX_THREADS`, and none without a built worker
 */
export function createRecoveryPool(
  chainId: bigint,
  threads: readonly RecoveryThread[] = builtThreads(chainId),
): RecoveryPool {
  const inline = createInlineRecovery(chainId);
  let turn = 0;
  let waited = 0;
  let isStarted = false;
  const recoverElsewhere = async (transactions: readonly Transaction[]): Promise<void> => {
    const thread = threads[turn++ % threads.length] as RecoveryThread;
    keepRows(transactions, await thread.ask(recoveryPayload(transactions)), chainId);
  };
  /** Whether to send a batch to the threads; earlier batches count too. */
  const isSent = (length: number): boolean => {
    if (threads.length === 0 || length < MIN_BATCH) return false;
    if (length > JOB_SIZE) waited += length;
    isStarted ||= waited > START_THRESHOLD;
    return isStarted;
  };
  return {
    async recover(transactions, signal) {
      const { length } = transactions;
      const isElsewhere = isSent(length);
      const jobs: Promise<void>[] = [];
      for (let i = 0; i < length; i += JOB_SIZE) {
        const job = transactions.slice(i, i + JOB_SIZE);
        if (isElsewhere) jobs.push(recoverElsewhere(job));
        else {
          if (i > 0) await nextTurn();
          await inline.recover(job, signal);
        }
      }
      await Promise.all(jobs);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function builtThreads(chainId: bigint): readonly RecoveryThread[] {
  const script = workerScript("recover-worker.js");
  const size = script === undefined ? 0 : Math.min(MAX_THREADS, availableParallelism());
  return Array.from({ length: size }, () => new WorkerThread<Uint8Array>(script as URL, { chainId }));
}
