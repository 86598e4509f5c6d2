import type { CompileMode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import type { ExecutionJob, JobOutcome, JobSources, TransactionWork } from "../../ledger/execution/job.ts";
import type { BlockThreads } from "../../ledger/execution/jobs/block-executor.ts";
import type { BlockLane } from "../../platform/runtime/turns/time-slice.ts";
import { ExecutionThread, type ThreadKind, type ThreadTerms } from "./execution-thread.ts";
import { executionScript } from "./execution-threads.ts";

/** A thread ends after this long without a transaction, to release its memory. */
const IDLE_MS = 10_000;
/** Lower priority than the main thread, higher than the threads for callers. */
const NICENESS = 5;

/** Threads reserved for blocks, which never queue behind callers. */
export interface OwnBlockThreads extends BlockThreads {
  /** Ends the threads; a running transaction fails with the reason. */
  close(reason?: Error): Promise<void>;
}

/** Creates the threads; undefined without a built worker: transactions then stay on the main thread. */
export function createBlockThreads(compile?: CompileMode): OwnBlockThreads | undefined {
  const script = executionScript();
  return script && new Threads(script, { niceness: NICENESS, compile });
}

/** One thread for blocks of the chain, which are executed one at a time, and one for previews. */
class Threads implements OwnBlockThreads {
  readonly #lanes: Readonly<Record<BlockLane, LaneThread>>;

  constructor(script: URL, kind: ThreadKind) {
    this.#lanes = { clients: new LaneThread(script, kind), reads: new LaneThread(script, kind) };
  }

  run(
    job: ExecutionJob<TransactionWork>,
    sources: JobSources,
    { lane, ...terms }: ThreadTerms & { readonly lane: BlockLane },
  ): Promise<readonly JobOutcome<TransactionWork>[]> {
    return this.#lanes[lane].run(job, sources, terms);
  }

  async close(reason?: Error): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.close(reason)));
  }
}

/** A thread that is started on demand. */
class LaneThread {
  readonly #script: URL;
  readonly #kind: ThreadKind;
  #thread: ExecutionThread | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(script: URL, kind: ThreadKind) {
    this.#script = script;
    this.#kind = kind;
  }

  /** Runs jobs sequentially. */
  run(
    job: ExecutionJob<TransactionWork>,
    sources: JobSources,
    terms: ThreadTerms,
  ): Promise<readonly JobOutcome<TransactionWork>[]> {
    const outcomes = this.#running.then(() => this.#run(job, sources, terms));
    this.#running = outcomes.catch(() => {});
    return outcomes;
  }

  async #run(job: ExecutionJob<TransactionWork>, sources: JobSources, terms: ThreadTerms) {
    terms.signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    if (this.#thread === undefined || this.#thread.isEnded)
      this.#thread = new ExecutionThread(this.#script, this.#kind);
    const outcomes = await this.#thread.run(job, sources, terms);
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS);
    this.#idleTimer.unref();
    return outcomes as readonly JobOutcome<TransactionWork>[];
  }

  async close(reason?: Error): Promise<void> {
    clearTimeout(this.#idleTimer);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close(reason);
  }
}
