import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { createInlineRecovery, type SenderRecovery } from "../../protocol/transaction/recovery.ts";
import { RecoveryThread } from "./recovery-thread.ts";

/** Below so many transactions the way to another thread costs more than it saves. */
const WORTH_SENDING = 64;
/** Transactions of one job: enough to hide the messages, few enough that all threads get some. */
const JOB_SIZE = 256;

/** Recovery on other cores. Threads start with the first large batch and end with `close`. */
export interface RecoveryPool extends SenderRecovery {
  close(): Promise<void>;
}

/**
 * Makes a pool; small batches are recovered in this thread, and so is everything where no worker was built.
 * @param size - number of threads; 0 recovers everything in this thread
 */
export function createRecoveryPool(chainId: bigint, size: number = availableParallelism()): RecoveryPool {
  const inline = createInlineRecovery(chainId);
  const script = workerScript();
  let threads: readonly RecoveryThread[] = [];
  let turn = 0;
  return {
    async recover(transactions, signal) {
      if (script === undefined || size === 0 || transactions.length < WORTH_SENDING) {
        return inline.recover(transactions, signal);
      }
      if (threads.length === 0)
        threads = Array.from({ length: size }, () => new RecoveryThread(script, chainId));
      const jobs: Promise<void>[] = [];
      for (let i = 0; i < transactions.length; i += JOB_SIZE) {
        const thread = threads[turn++ % threads.length] as RecoveryThread;
        jobs.push(thread.recover(transactions.slice(i, i + JOB_SIZE)));
      }
      await Promise.all(jobs);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
      threads = [];
    },
  };
}

/** The built worker: beside the program's files or one folder above its chunks. Undefined when run from source. */
function workerScript(): URL | undefined {
  const places = ["recover-worker.js", "../recover-worker.js"].map((name) => new URL(name, import.meta.url));
  return places.find((place) => existsSync(fileURLToPath(place)));
}
