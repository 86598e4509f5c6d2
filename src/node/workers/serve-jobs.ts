import { parentPort } from "node:worker_threads";

/** A job sent to a thread. */
export interface Job {
  readonly id: number;
  readonly payload: Uint8Array;
}

/** The result of the job with the same id. */
export interface JobResult<T> {
  readonly id: number;
  readonly result: T;
}

/** Processes the jobs of the parent thread; an error thrown by `work` ends the thread. */
export function serveJobs<T>(work: (payload: Uint8Array) => T): void {
  parentPort?.on("message", ({ id, payload }: Job) => {
    const answer: JobResult<T> = { id, result: work(payload) };
    const { result } = answer;
    parentPort?.postMessage(answer, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);
  });
}
