import { EvmTimeout } from "../../../../../ledger/evm/evm.ts";
import { isPredefined, tracerNamed } from "../../../../../ledger/evm/tracers/predefined.ts";
import type { TraceText } from "../../../../../ledger/evm/tracers/tracer.ts";
import { CallError, TransactionRejection } from "../../../../../ledger/execution/errors.ts";
import type { CallTraceWork, JobOutcome, TracerChoice } from "../../../../../ledger/execution/job.ts";
import { NodeError } from "../../../../../protocol/primitives/errors.ts";
import { RpcError, refused, stopping } from "../../../engine/errors.ts";
import type { TraceLimits } from "../../../services/limits.ts";
import type { TraceConfig } from "../../../spec/debug/traces.ts";
import type { CallContext } from "../../../spec/method.ts";
import { JsonText, LongText, type Text } from "../../../spec/values/json-text.ts";
import type { WaitingCaller } from "../../execution/executor.ts";
import { durationMs } from "./duration.ts";

const DEFAULT_TIMEOUT = "5s";
const DEFAULT_LOGGER_TIMEOUT = "10s";

/** A tracer with its time limit per transaction. */
export interface TracerPlan {
  readonly tracer: TracerChoice;
  readonly timeoutMs: number;
  readonly timeoutText: string;
}

/** Whether callers may supply a tracer script: not in methods that the reference considers safe. */
export type Scripting = "allowed" | "refused";

/** Whether the caller may supply a tracer script in methods where that depends on the transport. */
export function scriptingOf({ access }: CallContext): Scripting {
  return access.unsafe === false ? "refused" : "allowed";
}

/** Interprets the caller's options. @throws RpcError -32000 for a duration, TracerError `UNKNOWN_TRACER` */
export function planOf(
  { tracer, timeout, loggerTimeout, disableMemory, disableStack, disableStorage, limit }: TraceConfig,
  scripting: Scripting,
  { timeMs }: TraceLimits,
): TracerPlan {
  const bounded = (duration: string) => Math.min(Math.max(durationMs(duration), 0), timeMs);
  if (tracer === undefined) {
    const options = { disableMemory, disableStack, disableStorage, limit };
    return {
      tracer: { kind: "structLog", options },
      timeoutMs: bounded(loggerTimeout ?? DEFAULT_LOGGER_TIMEOUT),
      timeoutText: "trace logger timeout",
    };
  }
  const rest = { timeoutMs: bounded(timeout ?? DEFAULT_TIMEOUT), timeoutText: "execution timeout" };
  if (scripting === "allowed" && !isPredefined(tracer))
    return { tracer: { kind: "script", code: tracer }, ...rest };
  tracerNamed(tracer);
  return { tracer: { kind: "named", name: tracer }, ...rest };
}

/** The full time limit of a request for traces; within a batch, what is left of it. */
export function callerOf(
  context: CallContext,
  { timeMs }: TraceLimits,
  allowance = context.allowance,
): WaitingCaller {
  const { signal, connection, address, access } = context;
  return {
    timeMs,
    context: { signal, connection, address, access, ...(allowance && { allowance }) },
  };
}

/** @throws RpcError -32000 when traces are too long for a response */
export function checkSize(characters: number, max: number): void {
  if (characters > max) throw refused(`the traces are larger than ${max} characters: narrow the request`);
}

/** The output of a tracer as JSON. @throws RpcError -32000 with the reason if there is none, or it is too long */
export async function shownTrace(
  timeoutText: string,
  { characters }: TraceLimits,
  trace: () => Promise<readonly JobOutcome<CallTraceWork>[]>,
): Promise<JsonText> {
  try {
    const [outcome = { error: stopping() }] = await trace();
    if ("error" in outcome) throw outcome.error;
    const text = textOf(outcome.value);
    checkSize(text.length, characters);
    return new JsonText(text);
  } catch (error) {
    throw refused(failureText(error, timeoutText));
  }
}

/** The output of a tracer as response text. */
export function textOf(value: TraceText): Text {
  return typeof value === "string" ? value : new LongText(value);
}

/** The message for an error that stopped a trace. @throws the error itself if it is not one that a trace may fail with */
export function failureText(error: unknown, timeoutText: string): string {
  if (error instanceof EvmTimeout) return timeoutText;
  if (error instanceof TransactionRejection) return `tracing failed: ${error.message}`;
  if (error instanceof CallError && error.cause instanceof TransactionRejection)
    return `tracing failed: ${plainText(error.cause)}`;
  if (error instanceof NodeError && !(error instanceof RpcError)) return error.message;
  throw error;
}

/** The reference shows no numbers when a call is traced. */
function plainText({ code, message }: TransactionRejection): string {
  return code === "INTRINSIC_GAS" ? "intrinsic gas too low" : message;
}
