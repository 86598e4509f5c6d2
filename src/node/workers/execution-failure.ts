import { EvmError } from "../../ledger/evm/engine/create-evm.ts";
import { EvmTimeout } from "../../ledger/evm/evm.ts";
import { TracerError } from "../../ledger/evm/tracers/errors.ts";
import { CallError, TransactionRejection } from "../../ledger/execution/errors.ts";
import { StateError } from "../../ledger/state/errors.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** A serialisable error, for passing between threads. */
export interface TransferredError {
  /** Name of its class. */
  readonly name: string;
  readonly code: string;
  readonly message: string;
  /** Output of a reverted call, as hex. */
  readonly data?: string;
  readonly cause?: TransferredError;
}

/** Expected error classes, by name; all others are defects. */
const CLASSES = { EvmTimeout, EvmError, TracerError, CallError, TransactionRejection, StateError, NodeError };

/** Serialises an error. */
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

/** Restores an error. */
export function errorOf({ name, code, message, data, cause }: TransferredError): Error {
  if (!Object.hasOwn(CLASSES, name)) return new Error(message);
  const Class = CLASSES[name as keyof typeof CLASSES] as typeof NodeError;
  const details = data === undefined ? {} : { data };
  return new Class(code, message, details, cause && { cause: errorOf(cause) });
}

/** The text of a defect, with its stack for the log. */
function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
