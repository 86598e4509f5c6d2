import type { ExecutionJob, JobOutcome, JobSources, Work } from "../../../../ledger/execution/job.ts";
import type { CallerIdentity } from "../../../../platform/runtime/turns/caller-identity.ts";

/** The caller of a job, and its time limit. */
export interface JobTerms extends CallerIdentity {
  /** Milliseconds for waiting and running together. */
  readonly timeMs: number;
}

/** Runs jobs in threads. */
export interface JobThreads {
  /**
   * Runs a job.
   * @returns the outcomes in order; if the thread had to be terminated, the last one is an error
   * @throws RpcError -32005 when too many jobs are queued, or this one does not start in time
   */
  run<W extends Work>(
    job: ExecutionJob<W>,
    sources: JobSources,
    terms: JobTerms,
  ): Promise<readonly JobOutcome<W>[]>;
}
