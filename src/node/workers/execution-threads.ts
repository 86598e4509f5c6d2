import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { limitExceeded, type RpcError, stopping } from "../../api/rpc/engine/errors.ts";
import type { JobTerms, JobThreads } from "../../api/rpc/handlers/execution/job-threads.ts";
import { lostTurn } from "../../api/rpc/handlers/execution/lost-turn.ts";
import type { CompileMode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import type { ExecutionJob, JobOutcome, JobSources, Work } from "../../ledger/execution/job.ts";
import { findAsset } from "../../platform/runtime/asset.ts";
import { Slots } from "../../platform/runtime/turns/slots.ts";
import {
  laneOf,
  type QueueLane,
  type WaitFailure,
  WaitQueue,
} from "../../platform/runtime/turns/wait-queue.ts";
import { CALL_THREAD, ExecutionThread, type ThreadKind } from "./execution-thread.ts";
import { inlineExecution } from "./inline-execution.ts";
import { workerScript } from "./worker-thread.ts";

/** Limits of queued calls and, separately, traces; the owner has separate queues of the same size. */
const QUEUE_LIMITS = { waiting: 1000, waitingPerClient: 250 };
/** Threads end after this long without a job, to release their memory. */
const IDLE_MS = 10_000;

/** A thread pool for long executions. Threads start on demand and end when idle. */
export interface ExecutionThreads extends JobThreads {
  close(): Promise<void>;
}

/** Default number of threads: leaves one core to the node, but at least two, so that one long job does not block others. */
function defaultThreads(): number {
  return Math.min(8, Math.max(2, availableParallelism() - 1));
}

/** How the threads are created. */
export interface ExecutionTerms {
  /** Concurrent jobs. */
  readonly most?: number | undefined;
  /** Which codes the threads compile. */
  readonly compile?: CompileMode | undefined;
}

/** Creates the pool; queued jobs are served round-robin by client. Without a built worker they run synchronously in this thread. */
export function createExecution(evm: Evm, terms: ExecutionTerms = {}): ExecutionThreads {
  const { most = defaultThreads(), compile } = terms;
  const script = executionScript();
  return script === undefined ? inlineExecution(evm) : new Threads(script, most, { ...CALL_THREAD, compile });
}

/** The built worker, or the one that `vitest` builds from the sources. */
export function executionScript(): URL | undefined {
  const built = workerScript("execution-worker.js");
  if (built !== undefined) return built;
  const cached = findAsset("execution-worker.mjs");
  return cached === undefined ? undefined : pathToFileURL(cached);
}

class Threads implements ExecutionThreads {
  readonly #script: URL;
  readonly #kind: ThreadKind;
  readonly #slots: Slots;
  readonly #busy = new Set<ExecutionThread>();
  readonly #idle: ExecutionThread[] = [];
  /** Queues of calls and of traces; the latter may take much longer, and never occupy all threads. */
  readonly #calls = new WaitQueue(QUEUE_LIMITS);
  readonly #traces = new WaitQueue(QUEUE_LIMITS);
  #tracing = 0;
  #isTracesTurn = false;
  #isDispatching = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(script: URL, most: number, kind: ThreadKind) {
    this.#script = script;
    this.#kind = kind;
    this.#slots = new Slots(most);
  }

  async run<W extends Work>(
    job: ExecutionJob<W>,
    sources: JobSources,
    terms: JobTerms,
  ): Promise<readonly JobOutcome<W>[]> {
    if (this.#isClosed) throw stopping();
    const sinceMs = performance.now();
    const { timeMs } = terms;
    const begin = () => {
      const left = { ...terms, timeMs: timeMs - (performance.now() - sinceMs) };
      return this.#start(job, sources, left) as Promise<readonly JobOutcome<W>[]>;
    };
    const line = isTrace(job.work) ? this.#traces : this.#calls;
    const outcomes = line.wait(terms, { timeMs, begin, lost: (why) => lost(why, timeMs) });
    this.#next();
    return outcomes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#calls.close();
    this.#traces.close();
    const threads = [...this.#busy, ...this.#idle.splice(0)];
    await Promise.all(threads.map((thread) => thread.close(stopping())));
  }

  #next(): void {
    if (this.#isDispatching) return; // re-entered by a job that failed to start within this loop
    this.#isDispatching = true;
    while (!this.#isClosed && (this.#nextOf("owner") || this.#nextOf("others")));
    this.#isDispatching = false;
  }

  /** Starts the next call or trace, alternately. */
  #nextOf(lane: QueueLane): boolean {
    if (!this.#slots.isFree(lane)) return false;
    const mayTrace = lane === "owner" || this.#tracing < Math.max(1, this.#slots.most - 1);
    const call = () => this.#calls.next(lane) && this.#served("call");
    const trace = () => mayTrace && this.#traces.next(lane) && this.#served("trace");
    return this.#isTracesTurn ? trace() || call() : call() || trace();
  }

  #served(kind: "call" | "trace"): true {
    this.#isTracesTurn = kind === "call";
    return true;
  }

  /** @throws Error if no further thread can be started */
  async #start(job: ExecutionJob, sources: JobSources, terms: JobTerms): Promise<readonly JobOutcome[]> {
    const lane = laneOf(terms);
    const change = isTrace(job.work) && lane === "others" ? 1 : 0;
    this.#slots.take(lane);
    this.#tracing += change;
    clearTimeout(this.#idleTimer);
    let thread: ExecutionThread | undefined;
    try {
      thread = this.#idleThread() ?? new ExecutionThread(this.#script, this.#kind);
      this.#busy.add(thread);
      return await thread.run(job, sources, terms);
    } finally {
      this.#slots.give(lane);
      this.#tracing -= change;
      this.#recycle(thread);
    }
  }

  /** An idle thread that is still alive. */
  #idleThread(): ExecutionThread | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop())
      if (!thread.isEnded) return thread;
    return undefined;
  }

  #recycle(thread: ExecutionThread | undefined): void {
    if (thread !== undefined) {
      this.#busy.delete(thread);
      if (!thread.isEnded) this.#idle.push(thread);
    }
    this.#next();
    if (this.#busy.size > 0 || this.#isClosed) return;
    this.#idleTimer = setTimeout(() => this.#release(), IDLE_MS);
    this.#idleTimer.unref();
  }

  #release(): void {
    for (const thread of this.#idle.splice(0)) void thread.close();
  }
}

function lost(why: WaitFailure, timeMs: number): RpcError {
  if (why === "full") return limitExceeded(`too many calls are queued: ${QUEUE_LIMITS.waiting}`);
  if (why === "clientFull")
    return limitExceeded(`too many calls of this client are queued: ${QUEUE_LIMITS.waitingPerClient}`);
  return lostTurn(why, timeMs);
}

function isTrace({ kind }: Work): boolean {
  return kind === "traceCall" || kind === "traceCalls" || kind === "traceBlock";
}
