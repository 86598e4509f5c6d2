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

/** Below this many transactions, handing them to another thread costs more than it saves. */
const WORTH_SENDING = 64;
/**
 * Threads start once this many have come in batches larger than a job: each thread compiles the code it runs for itself, a quarter of
 * a second of processor time, in which this thread recovers five thousand.
 */
const WORTH_STARTING = 8_192;
/** Eight threads recover ten times as much as one executes; on sixteen cores, sixteen made an import slower than eight. */
const MAX_THREADS = 8;
/** Transactions of one job: enough to hide the messages, few enough that all threads get some, and that none takes long here. */
const JOB_SIZE = 256;

/** Recovery of signers on other cores. Threads start with the first batch that is worth it, and end with `close`. */
export interface RecoveryPool extends SenderRecovery {
  close(): Promise<void>;
}

/** A thread that answers a `recoveryPayload` with its rows; it starts with the first. */
type RecoveryThread = Pick<WorkerThread<Uint8Array>, "ask" | "close">;

/**
 * Creates a pool; small batches are recovered in this thread, as is everything if there are no others.
 * @param threads - by default one per core up to `MAX_THREADS`, and none if no worker was built
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
  /** Whether a batch goes to the threads; earlier batches count too. */
  const isSent = (length: number): boolean => {
    if (threads.length === 0 || length < WORTH_SENDING) return false;
    if (length > JOB_SIZE) waited += length;
    isStarted ||= waited > WORTH_STARTING;
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
