import { availableParallelism } from "node:os";
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
/** Below this many, starting threads does: each compiles what it runs for itself, a tenth of a second of processor time. */
const WORTH_STARTING = 256;
/** Transactions of one job: enough to hide the messages, few enough that all threads get some. */
const JOB_SIZE = 256;

/** Recovery on other cores. Threads start with the first batch that is worth it, and end with `close`. */
export interface RecoveryPool extends SenderRecovery {
  close(): Promise<void>;
}

/**
 * Makes a pool; small batches are recovered in this thread, and so is everything where no worker was built.
 * @param size - number of threads; 0 recovers everything in this thread
 */
export function createRecoveryPool(chainId: bigint, size: number = availableParallelism()): RecoveryPool {
  const inline = createInlineRecovery(chainId);
  const script = workerScript("recover-worker.js");
  const threads =
    script === undefined
      ? []
      : Array.from({ length: size }, () => new WorkerThread<Uint8Array>(script, { chainId }));
  let turn = 0;
  let worthSending = WORTH_STARTING;
  const recoverElsewhere = async (transactions: readonly Transaction[]): Promise<void> => {
    const thread = threads[turn++ % threads.length] as WorkerThread<Uint8Array>;
    keepRows(transactions, await thread.ask(recoveryPayload(transactions)), chainId);
  };
  return {
    async recover(transactions, signal) {
      if (threads.length === 0 || transactions.length < worthSending) {
        return inline.recover(transactions, signal);
      }
      worthSending = WORTH_SENDING;
      const jobs: Promise<void>[] = [];
      for (let i = 0; i < transactions.length; i += JOB_SIZE) {
        jobs.push(recoverElsewhere(transactions.slice(i, i + JOB_SIZE)));
      }
      await Promise.all(jobs);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
