import type { Chain } from "../../../../ledger/chain/chain.ts";
import { BudgetSpent, EvmTimeout, type RunBudget } from "../../../../ledger/evm/evm.ts";
import type { CallResult } from "../../../../ledger/execution/calls/call.ts";
import {
  type AccessListWork,
  type CallWork,
  type EstimateWork,
  type ExecutionJob,
  type JobOutcome,
  type JobSources,
  plainBlock,
  type SimulationWork,
  type ValueOfWork,
  type Work,
} from "../../../../ledger/execution/job.ts";
import { type JobBlock, runQuery, runWork } from "../../../../ledger/execution/jobs/run-job.ts";
import { StateError } from "../../../../ledger/state/errors.ts";
import { stableState } from "../../../../ledger/state/stable-state.ts";
import type { StateReader } from "../../../../ledger/state/state.ts";
import { stopping } from "../../engine/errors.ts";
import { clientOf, identityOf } from "../../services/caller.ts";
import type { CallContext, QueuedCaller } from "../../spec/method.ts";
import type { JobThreads } from "./job-threads.ts";
import { LongCalls } from "./long-calls.ts";
import { lostTurn } from "./lost-turn.ts";
import { Turns } from "./turns.ts";

/** Work on the current state of a block. */
export interface Plan<W extends Work = Work> {
  readonly work: W;
  readonly block: JobBlock;
  /** Number of the block whose state it is; of the next block for the pending state. */
  readonly stateNumber: bigint;
  /** Whether it is known to take long. */
  readonly isLong?: boolean;
  /** Whether threads read the block's state, too: it is not a state of the chain, and stays readable. */
  readonly hasOwnState?: boolean;
}

/** The waiting caller, and its time limit. */
export interface WaitingCaller {
  /** Time limit in milliseconds, waiting included. */
  readonly timeMs: number;
  readonly context: QueuedCaller & Pick<CallContext, "allowance">;
}

/** What an executor is built from. */
export interface ExecutorParts {
  readonly chain: Chain;
  readonly threads: JobThreads;
  /** Maximum time of an execution on the main thread, milliseconds; 0 = all go to a thread. */
  readonly sliceMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Work of a single result. */
export type Query = CallWork | EstimateWork | AccessListWork | SimulationWork;

/** Milliseconds of the main thread for each byte of a call's output: as hex, in a text, to the socket. */
const RENDERING_MS_PER_BYTE = 10e-6;

/**
 * Executes requests without blocking the main thread: everything starts there, since most takes microseconds; what
 * exceeds a time slice is aborted and restarted in a thread, on the state of the same block, where similar calls then start directly.
 */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #turns: Turns;
  readonly #longCalls = new LongCalls();

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#turns = new Turns(parts.sliceMs);
  }

  /** Changes whenever an existing state changes: work over several turns then starts over. */
  get edits(): number {
    return this.#parts.chain.rewrites;
  }

  /**
   * Runs work with a single result.
   * @param plan - called again whenever the work is restarted
   * @throws CallError, EvmTimeout, EvmError, MissingState, RpcError -32005
   */
  query<W extends Query>(
    plan: () => Plan<W>,
    caller: WaitingCaller,
  ): ValueOfWork<W> | Promise<ValueOfWork<W>> {
    const budget = this.#turns.isOpen ? this.#turns.begin() : undefined;
    return budget === undefined
      ? this.#queryLater(plan, caller)
      : this.#queryNow(plan, caller, budget, undefined);
  }

  /** @param endMs - deadline by `performance.now()`; absent = the caller's time limit from now */
  #queryNow<W extends Query>(
    plan: () => Plan<W>,
    caller: WaitingCaller,
    budget: RunBudget,
    endMs: number | undefined,
  ): ValueOfWork<W> | Promise<ValueOfWork<W>> {
    const { work, block, isLong } = plan();
    const client = clientOf(caller.context);
    try {
      if (isLong !== true && !this.#isExpectedLong(work, client)) {
        const value = runQuery(work, block, { budget });
        this.#turns.charge(RENDERING_MS_PER_BYTE * outputBytes(value));
        return value;
      }
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      if (work.kind !== "simulate") this.#longCalls.note(work.request, client);
    } finally {
      this.#spend(caller, this.#turns.end());
    }
    return this.#queryInThread(plan, caller, endMs ?? endOf(caller));
  }

  #isExpectedLong(work: Query, client: unknown): boolean {
    return work.kind !== "simulate" && this.#longCalls.expects(work.request, client);
  }

  async #queryLater<W extends Query>(plan: () => Plan<W>, caller: WaitingCaller): Promise<ValueOfWork<W>> {
    const endMs = endOf(caller);
    if (!this.#turns.isOpen) return this.#queryInThread(plan, caller, endMs);
    for (;;) {
      await this.#turns.next();
      checkTurn(caller, endMs);
      const budget = this.#turns.begin();
      if (budget !== undefined) return this.#queryNow(plan, caller, budget, endMs);
    }
  }

  async #queryInThread<W extends Query>(
    plan: () => Plan<W>,
    caller: WaitingCaller,
    endMs: number,
  ): Promise<ValueOfWork<W>> {
    const [outcome] = await this.#inThread(plan, caller, endMs);
    if (outcome === undefined) throw stopping();
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /**
   * Runs work with several outcomes, in order.
   * @throws EvmTimeout if the time ended between transactions, MissingState, RpcError -32005
   */
  async outcomes<W extends Work>(
    plan: () => Plan<W>,
    caller: WaitingCaller,
  ): Promise<readonly JobOutcome<W>[]> {
    const endMs = endOf(caller);
    const outcomes = await this.#outcomesHere(plan, caller, endMs);
    return outcomes ?? this.#inThread(plan, caller, endMs);
  }

  async #outcomesHere<W extends Work>(
    plan: () => Plan<W>,
    caller: WaitingCaller,
    endMs: number,
  ): Promise<readonly JobOutcome<W>[] | undefined> {
    if (!this.#turns.isOpen) return undefined;
    let budget = this.#turns.begin();
    for (; budget === undefined; budget = this.#turns.begin()) {
      await this.#turns.next();
      checkTurn(caller, endMs);
    }
    const { work, block, isLong } = plan();
    if (isLong) return undefined;
    try {
      const machine = { now: this.#parts.now, limits: { budget }, engine: noEngine };
      return [...runWork(work, block, machine)];
    } catch (error) {
      if (error instanceof BudgetSpent) return undefined;
      throw error;
    } finally {
      this.#spend(caller, this.#turns.end());
    }
  }

  /** An edit of the underlying state or a rewind, as on a development chain, restarts the work, as long as there is time. */
  async #inThread<W extends Work>(
    plan: () => Plan<W>,
    caller: WaitingCaller,
    endMs: number,
  ): Promise<readonly JobOutcome<W>[]> {
    const { threads } = this.#parts;
    const { context } = caller;
    const begunMs = performance.now();
    for (;;) {
      const edits = this.edits;
      const planned = plan();
      const timeMs = endMs - performance.now();
      if (timeMs <= 0) throw new EvmTimeout("EVM_TIMEOUT", "execution timed out");
      const terms = { timeMs, ...identityOf(context) };
      const job = jobOf(planned, this.#stateKey(planned, edits));
      const outcomes = await threads.run(job, this.#sourcesOf(planned, edits), terms);
      if (edits !== this.edits && outcomes.some(isStale) && performance.now() < endMs) continue;
      this.#spend(caller, performance.now() - begunMs);
      return outcomes;
    }
  }

  #spend({ context }: WaitingCaller, tookMs: number): void {
    if (context.allowance !== undefined) context.allowance.spentMs += tookMs;
  }

  /** The state after a block is the same until an edit or another branch changes it; the pending one may change at any time. */
  #stateKey({ stateNumber, hasOwnState }: Plan, edits: number): string | undefined {
    const isPending = stateNumber > this.#parts.chain.head.header.number;
    return isPending || hasOwnState ? undefined : `${edits} ${stateNumber}`;
  }

  #sourcesOf({ block, stateNumber, hasOwnState }: Plan, edits: number): JobSources {
    const { chain } = this.#parts;
    const isPending = stateNumber > chain.head.header.number;
    const lasting =
      isPending || hasOwnState ? block.state : stableState((number) => chain.stateAt(number), stateNumber);
    return { state: this.#unedited(lasting, edits), blockHash: block.context.blockHash };
  }

  /** @throws StateError `STATE_STALE` on reads once the state has changed since the work began */
  #unedited(state: StateReader, edits: number): StateReader {
    const check = (): StateReader => {
      if (edits === this.edits) return state;
      throw new StateError("STATE_STALE", "the state was changed while it was read");
    };
    return {
      account: (address) => check().account(address),
      storage: (address, slot) => check().storage(address, slot),
      code: (hash) => check().code(hash),
    };
  }
}

/** Deadline of a caller, by `performance.now()`. */
function endOf({ timeMs, context }: WaitingCaller): number {
  return performance.now() + timeMs - (context.allowance?.spentMs ?? 0);
}

/** Bytes of the result that whoever receives it writes as text. */
function outputBytes(value: unknown): number {
  return (value as Partial<CallResult> | undefined)?.output?.length ?? 0;
}

/** Checks whether the caller still wants its turn. @throws RpcError -32005 */
function checkTurn({ timeMs, context }: WaitingCaller, endMs: number): void {
  if (context.signal.aborted) throw lostTurn("left", timeMs);
  if (performance.now() > endMs) throw lostTurn("late", timeMs);
}

function jobOf<W extends Work>({ work, block }: Plan<W>, stateKey: string | undefined): ExecutionJob<W> {
  return { block: plainBlock(block), overrides: block.overrides, work, stateKey };
}

function isStale(outcome: JobOutcome): boolean {
  return "error" in outcome && outcome.error instanceof StateError && outcome.error.code === "STATE_STALE";
}

function noEngine(): never {
  throw new BudgetSpent();
}
