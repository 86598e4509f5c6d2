import type { MessagePort } from "node:worker_threads";
import type { RejectionCode } from "../../ledger/execution/errors.ts";
import type { ScriptJob } from "../../ledger/execution/script-job.ts";

/** What the thread is started with. */
export interface ScriptThreadSetup {
  /** One 32-bit number that is 1 when an answer lies in the port. */
  readonly signal: SharedArrayBuffer;
}

/** A part of the state, or of the chain, that a job reads. */
export type Read =
  | { readonly kind: "account"; readonly address: Uint8Array }
  | { readonly kind: "storage"; readonly address: Uint8Array; readonly slot: Uint8Array }
  | { readonly kind: "code"; readonly hash: Uint8Array }
  | { readonly kind: "blockHash"; readonly number: bigint };

/** What was read; absent for an account that does not exist. An error where it could not be. */
export type ReadAnswer = { readonly bytes: Uint8Array | undefined } | { readonly failure: Failure };

/** An error in a form that can go from thread to thread. */
export type Failure =
  | { readonly kind: "timeout" }
  | {
      readonly kind: "rejected";
      readonly code: RejectionCode;
      readonly message: string;
      readonly isCall: boolean;
    }
  | { readonly kind: "script" | "noResult" | "other"; readonly message: string };

/** What the main thread sends. */
export interface JobMessage {
  readonly job: ScriptJob;
  /** Where the answers to its reads come in. */
  readonly answers: MessagePort;
}

/** What the thread sends: reads, that it begins with a transaction, what came of it, that the job is done. */
export type ThreadMessage =
  | { readonly kind: "read"; readonly read: Read }
  | { readonly kind: "begin" }
  | { readonly kind: "outcome"; readonly text: string }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "done" };
