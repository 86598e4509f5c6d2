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

/** Most gas of a precompiled contract on the main thread: about three milliseconds of the dearest. */
const PRECOMPILE_GAS = 30_000n;
/**
 * The first transactions of a process load and compile code: this many may take longer, up to this long each and in
 * all.
 */
const WARM_UP = { transactions: 100, sliceMs: 25, allMs: 250 };

/** Executes transactions of blocks in a thread. */
export interface BlockThreads {
  /** Runs a job. @returns one outcome @throws Error where there can be no thread */
  run(
    job: ExecutionJob<TransactionWork>,
    sources: JobSources,
    terms: { readonly timeMs: number; readonly signal: AbortSignal; readonly lane: BlockLane },
  ): Promise<readonly JobOutcome<TransactionWork>[]>;
}

/** The transaction must have ended by then. */
export interface Deadline {
  /** Milliseconds of the clock of `now`, of turns that a block has itself. */
  readonly at: number;
  readonly now: () => number;
}

/** Executes the transactions of one block. */
export interface Course {
  /** Milliseconds spent yielding so far. */
  readonly lostMs: number;
  /**
   * Executes the next transaction of the block.
   * @throws TransactionRejection, EvmTimeout; the state is then as before
   */
  apply(tx: Transaction, environment: BlockEnvironment, deadline?: Deadline): Waits<AppliedTransaction>;
  /** Called between steps of a block other than transactions: yields if due. */
  rest(): Waits<void>;
}

/** Without yielding. */
export const AT_ONCE: Course = {
  lostMs: 0,
  // biome-ignore lint/correctness/useYield: it never waits
  *apply(tx, environment, deadline) {
    return applyTransaction(tx, environment, { deadline: deadline?.at });
  },
  *rest() {},
};

/** A course that ends before its next step once a check throws. @throws what the check does */
export function checkedCourse(course: Course, check: () => void): Course {
  return {
    get lostMs() {
      return course.lostMs;
    },
    *apply(tx, environment, deadline) {
      check();
      return yield* course.apply(tx, environment, deadline);
    },
    *rest() {
      check();
      yield* course.rest();
    },
  };
}

/** How blocks share the main thread with everything else. */
export interface TurnsParts {
  /** Apart from the one of callers: a block does not wait for each of them. */
  readonly slice: TimeSlice;
  /** Threads for long transactions; absent = they finish on the main thread. */
  readonly threads: BlockThreads | undefined;
  /** Longest time of a transaction on the main thread, milliseconds; 0 = all go to a thread. */
  readonly sliceMs: number;
  /** Aborts running executions, with its reason. */
  readonly signal: AbortSignal;
}

/** Shares the main thread between the blocks of a node and everything else. */
export class BlockTurns {
  readonly parts: TurnsParts;
  #coldTransactions = WARM_UP.transactions;
  #coldMs = WARM_UP.allMs;
  readonly #time = new WorkTime();
  readonly #budget: RunBudget = {
    isSpent: () => this.#time.isSpent(),
    precompileGas: PRECOMPILE_GAS,
  };

  constructor(parts: TurnsParts) {
    this.parts = parts;
  }

  /**
   * The course of a block.
   * @param lane - `clients` for a block of the chain, `readings` for one that is only looked at
   */
  course(lane: BlockLane): Course {
    return new CourseInTurns(this, lane);
  }

  /** Executes a transaction on the main thread. @throws BudgetSpent where it takes too long; the state is then as before */
  applyHere(tx: Transaction, environment: BlockEnvironment, deadline: number | undefined) {
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
 * Cooperatively: the block yields between transactions, and a long one is aborted and re-executed in a thread on the
 * current state of the block.
 */
class CourseInTurns implements Course {
  readonly #turns: BlockTurns;
  readonly #lane: BlockLane;
  lostMs = 0;

  constructor(turns: BlockTurns, lane: BlockLane) {
    this.#turns = turns;
    this.#lane = lane;
  }

  *apply(tx: Transaction, environment: BlockEnvironment, deadline?: Deadline): Waits<AppliedTransaction> {
    yield* this.rest();
    const { threads } = this.#turns.parts;
    const at = deadline && deadline.at + this.lostMs;
    if (threads === undefined) return applyTransaction(tx, environment, { deadline: at });
    try {
      return this.#turns.applyHere(tx, environment, at);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
    }
    const timeMs = deadline && at ? at - deadline.now() : Number.POSITIVE_INFINITY;
    const applied = yield* this.#applyBeside(tx, environment, threads, timeMs);
    return applied ?? applyTransaction(tx, environment, { deadline: at });
  }

  *rest(): Waits<void> {
    if (this.#turns.parts.slice.isDue()) yield () => this.#giveWay();
  }

  /** @returns undefined if no thread is available, or it broke */
  *#applyBeside(
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

  async #giveWay(): Promise<void> {
    const { slice, signal } = this.#turns.parts;
    const begunMs = performance.now();
    await slice.giveWay(this.#lane);
    this.lostMs += performance.now() - begunMs;
    signal.throwIfAborted();
  }
}
