import { stringify } from "../../../protocol/codec/json/value.ts";
import { tracerNamed } from "../../evm/tracers/predefined.ts";
import { type ReplayParts, replayTracer } from "../../evm/tracers/replay/replay-tracer.ts";
import type { ScriptEngine } from "../../evm/tracers/script/script-engine.ts";
import { scriptTracer } from "../../evm/tracers/script/script-tracer.ts";
import { structLogger } from "../../evm/tracers/struct-logger.ts";
import type { TracedTransaction, TracerFactory, TraceText } from "../../evm/tracers/tracer.ts";
import { absorbChanges } from "../../state/journal/absorb-changes.ts";
import { createJournal } from "../../state/journal/journal.ts";
import { journalView } from "../../state/journal/journal-view.ts";
import type { BlockEnvironment, EndedTransaction, TransactionOptions } from "../environment.ts";
import type { TracerChoice } from "../job.ts";
import { stateDifference } from "./state-difference.ts";

/** The environment of tracing. */
export interface TraceMachine {
  /** Returns the engine for callers' scripts; called before each transaction. */
  readonly engine: () => ScriptEngine;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called before each traced transaction. */
  readonly onBegin?: (timeoutMs: number) => void;
  /** Of all transactions together. */
  readonly limits: Pick<TransactionOptions, "deadline" | "budget">;
}

/** Executes the traced transaction in the given block. */
export type TracedRun = (options: TransactionOptions, block: BlockEnvironment) => EndedTransaction;

/** Runs a transaction under a fresh tracer. @returns the tracer's result as JSON text @throws TracerError, EvmTimeout */
export type TraceRunner = (
  traced: TracedTransaction,
  options: TransactionOptions & { readonly deadline: number },
  run: TracedRun,
) => TraceText;

/** The runner that traces transactions of a block with a tracer. @throws TracerError `UNKNOWN_TRACER` */
export function createTraceRunner(
  tracer: TracerChoice,
  block: BlockEnvironment,
  machine: TraceMachine,
): TraceRunner {
  switch (tracer.kind) {
    case "script":
      return scriptRunner(tracer.code, block, machine);
    case "named":
      return runnerOf(tracerNamed(tracer.name), block);
    case "replay":
      return replayRunner(tracer.parts, block);
    case "structLog":
      return runnerOf(structLogger(tracer.options), block);
  }
}

/** If a state diff is requested, the transaction runs in a journal of its own, whose changes are then applied to the block. */
function replayRunner(parts: ReplayParts, block: BlockEnvironment): TraceRunner {
  const { state } = block;
  return (traced, options, run) => {
    const own = parts.stateDiff ? createJournal(journalView(state), { readsAllStorage: true }) : state;
    const tracer = replayTracer(parts, traced, own);
    const outcome = run({ ...options, tracer: tracer.hooks }, { ...block, state: own });
    if (own === state) return tracer.resultText(outcome, "null");
    const changes = own.changes();
    const difference = stringify(stateDifference(changes, state));
    absorbChanges(state, changes);
    return tracer.resultText(outcome, difference);
  };
}

function runnerOf(factory: TracerFactory, block: BlockEnvironment): TraceRunner {
  return (traced, options, run) => {
    const tracer = factory(traced, block.state);
    const outcome = run({ ...options, tracer: tracer.hooks }, block);
    return tracer.resultText?.(outcome) ?? stringify(tracer.result?.(outcome) ?? null);
  };
}

/** The script's result is computed before the journal's transaction ends; an error in the script does not revert it. */
function scriptRunner(code: string, block: BlockEnvironment, { engine, now }: TraceMachine): TraceRunner {
  return (traced, options, run) => {
    const shouldStop = () => now() >= options.deadline;
    const tracer = scriptTracer({ engine: engine(), code, shouldStop }, traced, block.state);
    let shown = (): string => "";
    const beforeEnd = (ended: EndedTransaction): void => {
      shown = attempt(() => tracer.resultText(ended));
    };
    run({ ...options, tracer: tracer.hooks, beforeEnd }, block);
    return shown();
  };
}

/** Runs an action now. @returns a function that returns its result, or throws its error */
function attempt(action: () => string): () => string {
  try {
    const text = action();
    return () => text;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
