import type { BlockLane, TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { WorkTime } from "../../../platform/runtime/turns/work-time.ts";
import type { Waits } from "../../../platform/runtime/waits.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { BudgetSpent, type RunBudget } from "../../evm/evm.ts";
import { absorbChanges } from "../../state/journal/absorb-changes.ts";
import { journalView } from "../../state/journal/journal-view.ts";
import { MissingState } from "../../state/missing-state.ts";
import type { BlockEnvironment } from "../environment.ts";
import {
  type ExecutionJob,
  type JobOutcome,
  type JobSources,
  plainBlock,
  plainTransaction,
  type TransactionWork,
} from "../job.ts";
import { type AppliedTransaction, applyTransaction } from "../transaction/transaction.ts";

/** Maximum gas of a precompile call on the main thread: about three milliseconds of the slowest one. */
const PRECOMPILE_GAS = 30_000n;
/**
 * The first transactions of a process load and compile code, so this many may take longer: up to `sliceMs` each, and
 * `allMs` in total.
 */
const WARM_UP = { transactions: 100, sliceMs: 25, allMs: 250 };

/** Executes transactions of blocks in worker threads. */
export interface BlockThreads {
  /** Runs a job. @returns one outcome @throws Error if no thread is available */
  run(
    job: ExecutionJob<TransactionWork>,
    sources: JobSources,
    terms: { readonly timeMs: number; readonly signal: AbortSignal; readonly lane: BlockLane },
  ): Promise<readonly JobOutcome<TransactionWork>[]>;
}

/** When a transaction must have ended. */
export interface Deadline {
  /** Milliseconds on the clock of `now`, not counting time yielded to other work. */
  readonly at: number;
  readonly now: () => number;
}

/** Executes the transactions of one block. */
export interface BlockExecutor {
  /** Milliseconds spent yielding so far. */
  readonly yieldedMs: number;
  /**
   * Executes the next transaction of the block.
   * @throws TransactionRejection, EvmTimeout; the state is then unchanged
   */
  apply(tx: Transaction, environment: BlockEnvironment, deadline?: Deadline): Waits<AppliedTransaction>;
  /** Yields if due; called between the steps of a block. */
  yieldIfDue(): Waits<void>;
}

/** Executes without ever yielding. */
export const UNINTERRUPTED: BlockExecutor = {
  yieldedMs: 0,
  // biome-ignore lint/correctness/useYield: it never waits
  *apply(tx, environment, deadline) {
    return applyTransaction(tx, environment, { deadline: deadline?.at });
  },
  *yieldIfDue() {},
};

/** An executor that runs a check before each step. @throws what the check throws */
export function guardedExecutor(executor: BlockExecutor, check: () => void): BlockExecutor {
  return {
    get yieldedMs() {
      return executor.yieldedMs;
    },
    *apply(tx, environment, deadline) {
      check();
      return yield* executor.apply(tx, environment, deadline);
    },
    *yieldIfDue() {
      check();
      yield* executor.yieldIfDue();
    },
  };
}

/** Dependencies of `BlockTurns`. */
export interface BlockTurnsParts {
  /** Separate from that of callers, so that a block does not wait for each of them. */
  readonly slice: TimeSlice;
  /** Threads for long transactions; absent = they run on the main thread. */
  readonly threads: BlockThreads | undefined;
  /** Maximum time of a transaction on the main thread, milliseconds; 0 = all run in a thread. */
  readonly sliceMs: number;
  /** Aborts execution, with its reason. */
  readonly signal: AbortSignal;
}

/** Shares the main thread between the blocks of a node and everything else. */
export class BlockTurns {
  readonly parts: BlockTurnsParts;
  #coldTransactions = WARM_UP.transactions;
  #coldMs = WARM_UP.allMs;
  readonly #time = new WorkTime();
  readonly #budget: RunBudget = {
    isSpent: () => this.#time.isSpent(),
    precompileGas: PRECOMPILE_GAS,
  };

  constructor(parts: BlockTurnsParts) {
    this.parts = parts;
  }

  /**
   * The executor for a block.
   * @param lane - `clients` for a block of the chain, `reads` for one that is only previewed or replayed
   */
  executor(lane: BlockLane): BlockExecutor {
    return new CooperativeExecutor(this, lane);
  }

  /** Executes a transaction on the main thread. @throws BudgetSpent if it takes too long; the state is then unchanged */
  applyOnMainThread(tx: Transaction, environment: BlockEnvironment, deadline: number | undefined) {
    const { sliceMs } = this.parts;
    if (sliceMs === 0) throw new BudgetSpent();
    const isCold = this.#coldTransactions > 0 && this.#coldMs > 0;
    const begunMs = this.#time.begin(isCold ? Math.max(WARM_UP.sliceMs, sliceMs) : sliceMs);
    try {
      return applyTransaction(tx, environment, { deadline, budget: this.#budget });
    } finally {
      if (isCold) {
        this.#coldTransactions--;
        this.#coldMs -= performance.now() - begunMs;
      }
    }
  }
}

/**
 * Executes cooperatively: yields between transactions; a long one is aborted and re-executed in a thread, on the current
 * state of the block.
 */
class CooperativeExecutor implements BlockExecutor {
  readonly #turns: BlockTurns;
  readonly #lane: BlockLane;
  yieldedMs = 0;

  constructor(turns: BlockTurns, lane: BlockLane) {
    this.#turns = turns;
    this.#lane = lane;
  }

  *apply(tx: Transaction, environment: BlockEnvironment, deadline?: Deadline): Waits<AppliedTransaction> {
    yield* this.yieldIfDue();
    const { threads } = this.#turns.parts;
    const at = deadline && deadline.at + this.yieldedMs;
    if (threads === undefined) return applyTransaction(tx, environment, { deadline: at });
    try {
      return this.#turns.applyOnMainThread(tx, environment, at);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
    }
    const timeMs = deadline && at ? at - deadline.now() : Number.POSITIVE_INFINITY;
    const applied = yield* this.#applyInThread(tx, environment, threads, timeMs);
    return applied ?? applyTransaction(tx, environment, { deadline: at });
  }

  *yieldIfDue(): Waits<void> {
    if (this.#turns.parts.slice.isDue()) yield () => this.#yield();
  }

  /** @returns undefined if no thread is available, or it failed */
  *#applyInThread(
    tx: Transaction,
    environment: BlockEnvironment,
    threads: BlockThreads,
    timeMs: number,
  ): Waits<AppliedTransaction | undefined> {
    const { state, context } = environment;
    const transaction = plainTransaction(tx, context.rules.chainId);
    const job = { block: plainBlock(environment), work: { kind: "transaction", transaction } } as const;
    const sources = { state: journalView(state), blockHash: context.blockHash };
    const { signal } = this.#turns.parts;
    let outcome: JobOutcome<TransactionWork> | undefined;
    yield async () => {
      signal.throwIfAborted();
      const terms = { timeMs, signal, lane: this.#lane };
      [outcome] = await threads.run(job, sources, terms).catch((error) => [{ error }]);
      signal.throwIfAborted();
    };
    if (outcome === undefined) return undefined;
    if ("value" in outcome) {
      absorbChanges(state, outcome.value.changes);
      return outcome.value.applied;
    }
    if (outcome.error instanceof NodeError || outcome.error instanceof MissingState) throw outcome.error;
    return undefined;
  }

  async #yield(): Promise<void> {
    const { slice, signal } = this.#turns.parts;
    const begunMs = performance.now();
    await slice.yield(this.#lane);
    this.yieldedMs += performance.now() - begunMs;
    signal.throwIfAborted();
  }
}
