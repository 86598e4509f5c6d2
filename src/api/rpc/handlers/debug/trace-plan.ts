import { EvmTimeout } from "../../../../ledger/evm/evm.ts";
import { TracerError } from "../../../../ledger/evm/tracers/errors.ts";
import { isPredefined, tracerNamed } from "../../../../ledger/evm/tracers/predefined.ts";
import { structLogger } from "../../../../ledger/evm/tracers/struct-logger.ts";
import type { TracerFactory } from "../../../../ledger/evm/tracers/tracer.ts";
import { TransactionRejection } from "../../../../ledger/execution/errors.ts";
import type { ScriptOutcome } from "../../../../ledger/execution/script-job.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { refused } from "../../errors.ts";
import type { CallContext } from "../../method.ts";
import { JsonText } from "../../registry.ts";
import type { TraceConfig } from "../../spec/debug/traces.ts";
import { durationMs } from "./duration.ts";
import type { Script } from "./script-traces.ts";
import { callRefusal } from "./trace-call.ts";

const DEFAULT_TIMEOUT = "5s";
const DEFAULT_LOGGER_TIMEOUT = "10s";
/** A tracer with the time that it may take, or one that the caller has written. */
export type Plan =
  | { readonly factory: TracerFactory; readonly timeoutMs: number; readonly timeoutText: string }
  | { readonly script: Script; readonly timeoutText: string };

/** Whether a tracer may be written by the caller: not in methods that the reference counts among the safe ones. */
export type Scripting = "allowed" | "refused";

/** Whether the caller may bring a tracer of its own in methods that leave that to the transport. */
export function scriptingOf({ access }: CallContext): Scripting {
  return access.unsafe === false ? "refused" : "allowed";
}

/** What a caller's options mean. @throws RpcError -32000 for a duration, TracerError `UNKNOWN_TRACER` */
export function planOf(
  { tracer, timeout, loggerTimeout, ...options }: TraceConfig,
  scripting: Scripting,
): Plan {
  if (tracer === undefined) {
    const timeoutMs = durationMs(loggerTimeout ?? DEFAULT_LOGGER_TIMEOUT);
    return { factory: structLogger(options), timeoutMs, timeoutText: "trace logger timeout" };
  }
  const timeoutMs = durationMs(timeout ?? DEFAULT_TIMEOUT);
  const timeoutText = "execution timeout";
  if (scripting === "allowed" && !isPredefined(tracer))
    return { script: { code: tracer, timeoutMs }, timeoutText };
  return { factory: tracerNamed(tracer), timeoutMs, timeoutText };
}

/** Of a script that was waiting when the node stopped. */
export const NOT_RUN: ScriptOutcome = { error: new TracerError("SCRIPT", "the node is stopping") };

/** What a script showed, as the text that it is. @throws what kept it from a result */
export function shownBy(outcome: ScriptOutcome = NOT_RUN): Json {
  if ("error" in outcome) throw outcome.error;
  return new JsonText(outcome.text) as unknown as Json;
}

/** Runs a trace. @throws RpcError -32000 with what stopped it */
export function guarded<T>(timeoutText: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw refused(failureText(error, timeoutText));
  }
}

/** The same for a trace by a script. */
export async function guardedAsync<T>(timeoutText: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw refused(failureText(callRefusal(error), timeoutText));
  }
}

/** What stopped a trace. @throws the error itself when it is none that a trace may end with */
export function failureText(error: unknown, timeoutText: string): string {
  if (error instanceof EvmTimeout) return timeoutText;
  if (error instanceof TransactionRejection) return `tracing failed: ${error.message}`;
  if (error instanceof NodeError) return error.message;
  throw error;
}
