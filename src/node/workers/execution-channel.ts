import type { CompileMode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import type { ExecutionJob, JobOutcome } from "../../ledger/execution/job.ts";
import type { TransferredError } from "./execution-failure.ts";

/** Setup of a thread. */
export interface ThreadSetup {
  /** Shared memory, see `read-channel.ts`. */
  readonly channel: SharedArrayBuffer;
  /** Maximum memory of the frames of one run in bytes; absent = as on the main thread. */
  readonly memoryLimit?: number;
  /** Which contracts it compiles; absent = hot ones. */
  readonly compile?: CompileMode | undefined;
  /** Nice value of the thread. */
  readonly niceness: number;
}

/** A message of the main thread. */
export interface JobMessage {
  readonly job: ExecutionJob;
  /** Remaining milliseconds of the job. */
  readonly timeMs: number;
}

/** A message of a thread: a read request is in the channel, a transaction starts, its outcome, the job is done. */
export type ThreadMessage =
  | { readonly kind: "read" }
  | { readonly kind: "begin"; readonly timeoutMs: number }
  | { readonly kind: "value"; readonly value: Extract<JobOutcome, { value: unknown }>["value"] }
  | { readonly kind: "failure"; readonly failure: TransferredError }
  /** The memory that the thread now holds, in bytes. */
  | { readonly kind: "done"; readonly heldBytes: number };
