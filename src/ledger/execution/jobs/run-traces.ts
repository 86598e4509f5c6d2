import { decodeTransaction } from "../../../protocol/transaction/decoding.ts";
import { keepSigners } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { BudgetSpent } from "../../evm/evm.ts";
import type { TracedTransaction } from "../../evm/tracers/tracer.ts";
import { MissingState } from "../../state/missing-state.ts";
import { type CallRequest, call, callCredit } from "../calls/call.ts";
import type { BlockEnvironment } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import type { BlockTraceWork, CallsTraceWork, CallTraceWork, JobOutcome } from "../job.ts";
import { storeParentHash } from "../system-call.ts";
import { applyTransaction } from "../transaction/transaction.ts";
import { createTraceRunner, type TracedRun, type TraceMachine, type TraceRunner } from "./trace-runner.ts";
import { tracedCall, tracedTransaction } from "./traced-transaction.ts";

type TraceWork = CallTraceWork | CallsTraceWork | BlockTraceWork;
type TraceOutcome = JobOutcome<TraceWork>;

/**
 * Runs transactions under a tracer.
 * @throws BudgetSpent, MissingState; EvmTimeout if the overall time ends outside a traced transaction
 */
export function runTraces(
  work: TraceWork,
  block: BlockEnvironment,
  machine: TraceMachine,
): Generator<TraceOutcome> {
  const run = new TraceRun(work.timeoutMs, block, machine);
  if (work.kind === "traceBlock") return run.block(work);
  return run.calls(work.kind === "traceCall" ? [work] : work.calls);
}

class TraceRun {
  readonly #timeoutMs: number;
  readonly #block: BlockEnvironment;
  readonly #machine: TraceMachine;

  constructor(timeoutMs: number, block: BlockEnvironment, machine: TraceMachine) {
    this.#timeoutMs = timeoutMs;
    this.#block = block;
    this.#machine = machine;
  }

  /** Ends after the first call that could not be run. */
  *calls(calls: CallsTraceWork["calls"]): Generator<TraceOutcome> {
    const { context, state } = this.#block;
    for (const { request, tracer } of calls) {
      const trace = createTraceRunner(tracer, this.#block, this.#machine);
      const traced = tracedCall(request, context, state);
      let unspent = 0n;
      const outcome = this.#outcome(trace, traced, (options, block) => {
        const credit = callCredit(request, block, traced.gasPrice);
        const { gasUsed, output, cause } = call(request, block, options);
        unspent = credit - gasUsed * traced.gasPrice;
        // A replay tracer shows state differences, from which the credit must be absent; others show the caller with it.
        if (tracer.kind === "replay") unspent = reclaimCredit(request, unspent, block);
        return { gasUsed, output, error: cause };
      });
      reclaimCredit(request, unspent, this.#block);
      yield outcome;
      if ("error" in outcome) return;
    }
  }

  *block({ parentHash, transactions, index, tracer }: BlockTraceWork): Generator<TraceOutcome> {
    const { chainId } = this.#block.context.rules;
    const trace = createTraceRunner(tracer, this.#block, this.#machine);
    storeParentHash(parentHash, this.#block);
    for (const [place, { raw, signers }] of transactions.entries()) {
      const tx = decodeTransaction(raw);
      if (signers !== undefined) keepSigners(tx, chainId, signers);
      if (index !== undefined && place < index) applyTransaction(tx, this.#block, this.#machine.limits);
      else yield this.#transaction(tx, trace);
    }
  }

  /** However its trace ended, the transaction takes effect for those after it, unless it is invalid in the block. */
  #transaction(tx: Transaction, trace: TraceRunner): TraceOutcome {
    let isApplied = false;
    const outcome = this.#outcome(trace, tracedTransaction(tx, this.#block.context), (options, block) => {
      const { receipt, output, error } = applyTransaction(tx, block, options);
      isApplied = true;
      return { gasUsed: receipt.gasUsed, output, error };
    });
    const isRejected = "error" in outcome && outcome.error instanceof TransactionRejection;
    if (!isApplied && !isRejected) applyTransaction(tx, this.#block, this.#machine.limits);
    return outcome;
  }

  #outcome(trace: TraceRunner, traced: TracedTransaction, run: TracedRun): TraceOutcome {
    const { now, limits, onBegin } = this.#machine;
    onBegin?.(this.#timeoutMs);
    const deadline = Math.min(now() + this.#timeoutMs, limits.deadline ?? Number.POSITIVE_INFINITY);
    try {
      return { value: trace(traced, { ...limits, deadline }, run) };
    } catch (error) {
      if (error instanceof BudgetSpent || error instanceof MissingState) throw error;
      return { error };
    }
  }
}

/**
 * Removes the unspent rest of a caller's credit, so that later calls do not see it.
 * @returns the credit still to be removed: 0
 */
function reclaimCredit({ from }: CallRequest, unspent: bigint, { state }: BlockEnvironment): bigint {
  const left = state.balance(from) - unspent;
  if (unspent !== 0n) state.setBalance(from, left > 0n ? left : 0n);
  return 0n;
}
