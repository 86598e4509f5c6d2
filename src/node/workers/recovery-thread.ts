import type { Worker } from "node:worker_threads";
import { keepRows, recoveryPayload } from "../../protocol/transaction/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { RecoverAnswer, RecoverJob } from "./recover-worker.ts";

interface Running {
  readonly transactions: readonly Transaction[];
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/** One worker thread that recovers signers. It keeps the process alive only while it has work. */
export class RecoveryThread {
  readonly #worker: Worker;
  readonly #chainId: bigint;
  readonly #running = new Map<number, Running>();
  #nextId = 0;

  constructor(script: URL, chainId: bigint) {
    this.#chainId = chainId;
    const { Worker } = process.getBuiltinModule("node:worker_threads"); // not loaded at the node's start
    this.#worker = new Worker(script, { workerData: { chainId } });
    this.#worker.unref();
    this.#worker.on("message", (answer: RecoverAnswer) => this.#keep(answer));
    this.#worker.on("error", (error) => this.#fail(error as Error));
    this.#worker.on("exit", () => this.#fail(new Error("the recovery worker ended")));
  }

  /** Recovers transactions and keeps what was found with them. */
  recover(transactions: readonly Transaction[]): Promise<void> {
    return new Promise((done, failed) => {
      const job: RecoverJob = { id: this.#nextId++, payload: recoveryPayload(transactions) };
      this.#running.set(job.id, { transactions, done, failed });
      this.#worker.ref();
      this.#worker.postMessage(job, [job.payload.buffer as ArrayBuffer]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #keep({ id, rows }: RecoverAnswer): void {
    const job = this.#running.get(id);
    this.#running.delete(id);
    if (this.#running.size === 0) this.#worker.unref();
    if (job === undefined) return;
    keepRows(job.transactions, rows, this.#chainId);
    job.done();
  }

  #fail(error: Error): void {
    for (const { failed } of this.#running.values()) failed(error);
    this.#running.clear();
  }
}
