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

/** What tracing uses. */
export interface TraceMachine {
  /** The engine for a caller's script, asked for before each transaction. */
  readonly engine: () => ScriptEngine;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called before each traced transaction. */
  readonly onBegin?: (timeoutMs: number) => void;
  /** Of all transactions together. */
  readonly limits: Pick<TransactionOptions, "deadline" | "budget">;
}

/** Runs the transaction that is watched, in the block that the watch has for it. */
export type WatchedRun = (options: TransactionOptions, block: BlockEnvironment) => EndedTransaction;

/** Runs a transaction under a tracer made for it. @returns JSON text of what the tracer shows @throws TracerError, EvmTimeout */
export type Watch = (
  traced: TracedTransaction,
  options: TransactionOptions & { readonly deadline: number },
  run: WatchedRun,
) => TraceText;

/** The watch of a tracer over the transactions of a block. @throws TracerError `UNKNOWN_TRACER` */
export function createWatch(tracer: TracerChoice, block: BlockEnvironment, machine: TraceMachine): Watch {
  switch (tracer.kind) {
    case "script":
      return watchByScript(tracer.code, block, machine);
    case "named":
      return watchBy(tracerNamed(tracer.name), block);
    case "replay":
      return watchReplay(tracer.parts, block);
    case "structLog":
      return watchBy(structLogger(tracer.options), block);
  }
}

/** Where the difference is wanted, the transaction runs in a journal of its own, whose changes are then those of the block. */
function watchReplay(parts: ReplayParts, block: BlockEnvironment): Watch {
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

function watchBy(factory: TracerFactory, block: BlockEnvironment): Watch {
  return (traced, options, run) => {
    const tracer = factory(traced, block.state);
    const outcome = run({ ...options, tracer: tracer.hooks }, block);
    return tracer.resultText?.(outcome) ?? stringify(tracer.result?.(outcome) ?? null);
  };
}

/** The script shows its result while the transaction is still open, and an error there does not undo it. */
function watchByScript(code: string, block: BlockEnvironment, { engine, now }: TraceMachine): Watch {
  return (traced, options, run) => {
    const isOver = () => now() >= options.deadline;
    const tracer = scriptTracer({ engine: engine(), code, isOver }, traced, block.state);
    let shown = (): string => "";
    const beforeEnd = (ended: EndedTransaction): void => {
      shown = attempt(() => tracer.resultText(ended));
    };
    run({ ...options, tracer: tracer.hooks, beforeEnd }, block);
    return shown();
  };
}

/** Does it now, and has its outcome when it is asked for. */
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
