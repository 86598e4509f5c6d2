import { EvmError } from "../../ledger/evm/engine/create-evm.ts";
import { EvmTimeout } from "../../ledger/evm/evm.ts";
import { TracerError } from "../../ledger/evm/tracers/errors.ts";
import { CallError, TransactionRejection } from "../../ledger/execution/errors.ts";
import { StateError } from "../../ledger/state/errors.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** An error in a form that can be passed between threads. */
export interface TransferredError {
  /** Name of its class; others are defects. */
  readonly name: string;
  readonly code: string;
  readonly message: string;
  /** Output of a reverted call, as hex. */
  readonly data?: string;
  readonly cause?: TransferredError;
}

/** Expected errors of an execution, by name. */
const CLASSES = { EvmTimeout, EvmError, TracerError, CallError, TransactionRejection, StateError, NodeError };

/** An error in the form sent to another thread. */
export function failureOf(error: unknown): TransferredError {
  if (!(error instanceof NodeError)) return { name: "Error", code: "", message: textOf(error) };
  const { name, code, message, details, cause } = error;
  const { data } = details;
  return {
    ...{ name, code, message },
    ...(typeof data === "string" && { data }),
    ...(cause instanceof NodeError && { cause: failureOf(cause) }),
  };
}

/** The error received from another thread. */
export function errorOf({ name, code, message, data, cause }: TransferredError): Error {
  if (!Object.hasOwn(CLASSES, name)) return new Error(message);
  const Class = CLASSES[name as keyof typeof CLASSES] as typeof NodeError;
  const details = data === undefined ? {} : { data };
  return new Class(code, message, details, cause && { cause: errorOf(cause) });
}

/** A defect, with its stack for the log. */
function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
