import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import type { Job, JobResult } from "./serve-jobs.ts";

interface Waiting<T> {
  readonly done: (result: T) => void;
  readonly failed: (error: Error) => void;
}

/** A thread that processes jobs one at a time. It starts on demand and keeps the process alive only while it has jobs. */
export class WorkerThread<T> {
  readonly #script: URL;
  readonly #setup: unknown;
  readonly #waiting = new Map<number, Waiting<T>>();
  #worker: Worker | undefined;
  #nextId = 0;

  /** @param setup - the `workerData` of the script */
  constructor(script: URL, setup?: unknown) {
    this.#script = script;
    this.#setup = setup;
  }

  /**
   * Resolves with the script's result for a payload, whose buffer is transferred to the thread.
   * @throws Error if the thread ends first
   */
  ask(payload: Uint8Array): Promise<T> {
    return new Promise((done, failed) => {
      const job: Job = { id: this.#nextId++, payload };
      this.#waiting.set(job.id, { done, failed });
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(job, [payload.buffer as ArrayBuffer]);
    });
  }

  /** Ends the thread; the next job starts another. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#end(worker, new Error("the thread was closed"));
    await worker.terminate();
  }

  #start(): Worker {
    const { Worker } = process.getBuiltinModule("node:worker_threads"); // not loaded at the node's start
    const worker = new Worker(this.#script, { workerData: this.#setup });
    worker.on("message", (answer: JobResult<T>) => this.#receive(answer));
    worker.on("error", (error) => this.#end(worker, error as Error));
    worker.on("exit", () => this.#end(worker, new Error("the thread ended")));
    return worker;
  }

  #receive({ id, result }: JobResult<T>): void {
    const job = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    job?.done(result);
  }

  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { failed } of this.#waiting.values()) failed(error);
    this.#waiting.clear();
  }
}

/** URL of a built worker script; undefined when run from source. */
export function workerScript(name: string): URL | undefined {
  const places = [name, `../${name}`].map((path) => new URL(path, import.meta.url));
  return places.find((place) => existsSync(fileURLToPath(place)));
}
