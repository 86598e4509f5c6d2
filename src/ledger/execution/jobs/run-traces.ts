import { stringify } from "../../../protocol/codec/json/value.ts";
import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { keepSigners } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { BudgetSpent } from "../../evm/evm.ts";
import { tracerNamed } from "../../evm/tracers/predefined.ts";
import type { ScriptEngine } from "../../evm/tracers/script/script-engine.ts";
import { scriptTracer } from "../../evm/tracers/script/script-tracer.ts";
import { structLogger } from "../../evm/tracers/struct-logger.ts";
import type { TracedTransaction, TracerFactory, TraceText } from "../../evm/tracers/tracer.ts";
import { MissingState } from "../../state/missing-state.ts";
import { call } from "../calls/call.ts";
import type { BlockEnvironment, EndedTransaction, TransactionOptions } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import type { BlockTraceWork, CallTraceWork, JobOutcome } from "../job.ts";
import { storeParentHash } from "../system-call.ts";
import { applyTransaction } from "../transaction/transaction.ts";
import { tracedCall, tracedTransaction } from "./traced-transaction.ts";

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

type TraceOutcome = JobOutcome<CallTraceWork | BlockTraceWork>;

/**
 * Runs transactions under a tracer.
 * @throws BudgetSpent, MissingState; EvmTimeout where the time of all ends between watched transactions
 */
export function runTraces(
  work: CallTraceWork | BlockTraceWork,
  block: BlockEnvironment,
  machine: TraceMachine,
): Generator<TraceOutcome> {
  const run = new TraceRun(work, block, machine);
  return work.kind === "traceCall" ? run.call(work) : run.block(work);
}

/** Runs a transaction under a tracer made for it. @returns JSON text of what the tracer shows @throws TracerError, EvmTimeout */
type Watch = (
  traced: TracedTransaction,
  options: TransactionOptions & { readonly deadline: number },
  run: (options: TransactionOptions) => EndedTransaction,
) => TraceText;

class TraceRun {
  readonly #timeoutMs: number;
  readonly #watch: Watch;
  readonly #block: BlockEnvironment;
  readonly #machine: TraceMachine;

  constructor(
    { tracer, timeoutMs }: CallTraceWork | BlockTraceWork,
    block: BlockEnvironment,
    machine: TraceMachine,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#block = block;
    this.#machine = machine;
    this.#watch =
      tracer.kind === "script"
        ? watchByScript(tracer.code, block, machine)
        : watchBy(tracer.kind === "named" ? tracerNamed(tracer.name) : structLogger(tracer.options), block);
  }

  *call({ request }: CallTraceWork): Generator<TraceOutcome> {
    const { context, state } = this.#block;
    yield this.#outcome(tracedCall(request, context, state), (options) => {
      const { gasUsed, output, cause } = call(request, this.#block, options);
      return { gasUsed, output, error: cause };
    });
  }

  *block({ parentHash, transactions, index }: BlockTraceWork): Generator<TraceOutcome> {
    const { chainId } = this.#block.context.rules;
    storeParentHash(parentHash, this.#block);
    for (const [place, { raw, signers }] of transactions.entries()) {
      const tx = decodeTransaction(raw);
      if (signers !== undefined) keepSigners(tx, chainId, signers);
      if (index !== undefined && place < index) applyTransaction(tx, this.#block, this.#machine.limits);
      else yield this.#transaction(tx);
    }
  }

  /** Unless the block cannot hold it, the transaction happens for those after it, however its watching ended. */
  #transaction(tx: Transaction): TraceOutcome {
    let isApplied = false;
    const outcome = this.#outcome(tracedTransaction(tx, this.#block.context), (options) => {
      const { receipt, output, error } = applyTransaction(tx, this.#block, options);
      isApplied = true;
      return { gasUsed: receipt.gasUsed, output, error };
    });
    const isRejected = "error" in outcome && outcome.error instanceof TransactionRejection;
    if (!isApplied && !isRejected) applyTransaction(tx, this.#block, this.#machine.limits);
    return outcome;
  }

  #outcome(traced: TracedTransaction, run: (options: TransactionOptions) => EndedTransaction): TraceOutcome {
    const { now, limits, onBegin } = this.#machine;
    onBegin?.(this.#timeoutMs);
    const deadline = Math.min(now() + this.#timeoutMs, limits.deadline ?? Number.POSITIVE_INFINITY);
    try {
      return { value: this.#watch(traced, { ...limits, deadline }, run) };
    } catch (error) {
      if (error instanceof BudgetSpent || error instanceof MissingState) throw error;
      return { error };
    }
  }
}

function watchBy(factory: TracerFactory, { state }: BlockEnvironment): Watch {
  return (traced, options, run) => {
    const tracer = factory(traced, state);
    const outcome = run({ ...options, tracer: tracer.hooks });
    return tracer.resultText?.(outcome) ?? stringify(tracer.result?.(outcome) ?? null);
  };
}

/** The script shows its result while the transaction is still open, and an error there does not undo it. */
function watchByScript(code: string, { state }: BlockEnvironment, { engine, now }: TraceMachine): Watch {
  return (traced, options, run) => {
    const isOver = () => now() >= options.deadline;
    const tracer = scriptTracer({ engine: engine(), code, isOver }, traced, state);
    let shown = (): string => "";
    const beforeEnd = (ended: EndedTransaction): void => {
      shown = attempt(() => tracer.resultText(ended));
    };
    run({ ...options, tracer: tracer.hooks, beforeEnd });
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
