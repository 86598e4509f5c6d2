import type { CompileMode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import type { ExecutionJob, JobOutcome } from "../../ledger/execution/job.ts";
import type { TransferredError } from "./execution-failure.ts";

/** What a thread is started with. */
export interface ThreadSetup {
  /** Memory of both sides, see `read-channel.ts`. */
  readonly channel: SharedArrayBuffer;
  /** Most memory of the frames of one run, bytes; absent = as on the main thread. */
  readonly memoryLimit?: number;
  /** Which contracts it compiles on its own; absent = those that run often. */
  readonly compile?: CompileMode | undefined;
  /** Nice value of the thread: how far it yields to the others. */
  readonly niceness: number;
}

/** What the main thread sends. */
export interface JobMessage {
  readonly job: ExecutionJob;
  /** Milliseconds left for the whole job. */
  readonly timeMs: number;
}

/** What a thread sends: a read is in the channel, a transaction starts, its outcome, the job is done. */
export type ThreadMessage =
  | { readonly kind: "read" }
  | { readonly kind: "begin"; readonly timeoutMs: number }
  | { readonly kind: "value"; readonly value: Extract<JobOutcome, { value: unknown }>["value"] }
  | { readonly kind: "failure"; readonly failure: TransferredError }
  /** The memory that the thread now holds, in bytes. */
  | { readonly kind: "done"; readonly heldBytes: number };
