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
import { tracedCall, tracedTransaction } from "./traced-transaction.ts";
import { createWatch, type TraceMachine, type Watch, type WatchedRun } from "./watch-transaction.ts";

type TraceWork = CallTraceWork | CallsTraceWork | BlockTraceWork;
type TraceOutcome = JobOutcome<TraceWork>;

/**
 * Runs transactions under a tracer.
 * @throws BudgetSpent, MissingState; EvmTimeout where the time of all ends between watched transactions
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

  /** Up to the first that fails to run. */
  *calls(calls: CallsTraceWork["calls"]): Generator<TraceOutcome> {
    const { context, state } = this.#block;
    for (const { request, tracer } of calls) {
      const watch = createWatch(tracer, this.#block, this.#machine);
      const traced = tracedCall(request, context, state);
      let unspent = 0n;
      const outcome = this.#outcome(watch, traced, (options, block) => {
        const credit = callCredit(request, block, traced.gasPrice);
        const { gasUsed, output, cause } = call(request, block, options);
        unspent = credit - gasUsed * traced.gasPrice;
        // What such a tracer shows is the difference that the call makes; others show the caller with its credit.
        if (tracer.kind === "replay") unspent = takeBack(request, unspent, block);
        return { gasUsed, output, error: cause };
      });
      takeBack(request, unspent, this.#block);
      yield outcome;
      if ("error" in outcome) return;
    }
  }

  *block({ parentHash, transactions, index, tracer }: BlockTraceWork): Generator<TraceOutcome> {
    const { chainId } = this.#block.context.rules;
    const watch = createWatch(tracer, this.#block, this.#machine);
    storeParentHash(parentHash, this.#block);
    for (const [place, { raw, signers }] of transactions.entries()) {
      const tx = decodeTransaction(raw);
      if (signers !== undefined) keepSigners(tx, chainId, signers);
      if (index !== undefined && place < index) applyTransaction(tx, this.#block, this.#machine.limits);
      else yield this.#transaction(tx, watch);
    }
  }

  /** Unless the block cannot hold it, the transaction happens for those after it, however its watching ended. */
  #transaction(tx: Transaction, watch: Watch): TraceOutcome {
    let isApplied = false;
    const outcome = this.#outcome(watch, tracedTransaction(tx, this.#block.context), (options, block) => {
      const { receipt, output, error } = applyTransaction(tx, block, options);
      isApplied = true;
      return { gasUsed: receipt.gasUsed, output, error };
    });
    const isRejected = "error" in outcome && outcome.error instanceof TransactionRejection;
    if (!isApplied && !isRejected) applyTransaction(tx, this.#block, this.#machine.limits);
    return outcome;
  }

  #outcome(watch: Watch, traced: TracedTransaction, run: WatchedRun): TraceOutcome {
    const { now, limits, onBegin } = this.#machine;
    onBegin?.(this.#timeoutMs);
    const deadline = Math.min(now() + this.#timeoutMs, limits.deadline ?? Number.POSITIVE_INFINITY);
    try {
      return { value: watch(traced, { ...limits, deadline }, run) };
    } catch (error) {
      if (error instanceof BudgetSpent || error instanceof MissingState) throw error;
      return { error };
    }
  }
}

/**
 * Takes back what the caller of a call was credited for its fee and has left: no call after it shall find it.
 * @returns what is left to take back
 */
function takeBack({ from }: CallRequest, unspent: bigint, { state }: BlockEnvironment): bigint {
  const left = state.balance(from) - unspent;
  if (unspent !== 0n) state.setBalance(from, left > 0n ? left : 0n);
  return 0n;
}
