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

/** Maximum calls waiting, and as many traces; the owner may have as many again. */
const BOUNDS = { waiting: 1000, waitingPerClient: 250 };
/** A thread releases its memory after this long without a job. */
const IDLE_MS = 10_000;

/** Threads for long executions. They start with the first job, and end after a while without one, and with `close`. */
export interface ExecutionThreads extends JobThreads {
  close(): Promise<void>;
}

/** The number of threads: a core is left to the node, and a long job leaves room for another. */
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

/** Creates the threads; waiting jobs take turns by client. Without a built worker they run in this thread and block it. */
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
  readonly #places: Slots;
  readonly #busy = new Set<ExecutionThread>();
  readonly #idle: ExecutionThread[] = [];
  /** Calls, and jobs that may take much longer; the latter never occupy all threads. */
  readonly #calls = new WaitQueue(BOUNDS);
  readonly #traces = new WaitQueue(BOUNDS);
  #tracing = 0;
  #isTurnOfTraces = false;
  #isBeginning = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(script: URL, most: number, kind: ThreadKind) {
    this.#script = script;
    this.#kind = kind;
    this.#places = new Slots(most);
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
    if (this.#isBeginning) return; // a call that could not begin has returned its place within this loop
    this.#isBeginning = true;
    while (!this.#isClosed && (this.#nextOf("owner") || this.#nextOf("others")));
    this.#isBeginning = false;
  }

  /** In turns of calls and traces. */
  #nextOf(lane: QueueLane): boolean {
    if (!this.#places.isFree(lane)) return false;
    const mayTrace = lane === "owner" || this.#tracing < Math.max(1, this.#places.most - 1);
    const call = () => this.#calls.next(lane) && this.#served("call");
    const trace = () => mayTrace && this.#traces.next(lane) && this.#served("trace");
    return this.#isTurnOfTraces ? trace() || call() : call() || trace();
  }

  #served(kind: "call" | "trace"): true {
    this.#isTurnOfTraces = kind === "call";
    return true;
  }

  /** @throws Error if no further thread can be started */
  async #start(job: ExecutionJob, sources: JobSources, terms: JobTerms): Promise<readonly JobOutcome[]> {
    const lane = laneOf(terms);
    const change = isTrace(job.work) && lane === "others" ? 1 : 0;
    this.#places.take(lane);
    this.#tracing += change;
    clearTimeout(this.#idleTimer);
    let thread: ExecutionThread | undefined;
    try {
      thread = this.#idleThread() ?? new ExecutionThread(this.#script, this.#kind);
      this.#busy.add(thread);
      return await thread.run(job, sources, terms);
    } finally {
      this.#places.give(lane);
      this.#tracing -= change;
      this.#rest(thread);
    }
  }

  /** A waiting job ends if its worker broke meanwhile. */
  #idleThread(): ExecutionThread | undefined {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop())
      if (!thread.isEnded) return thread;
    return undefined;
  }

  #rest(thread: ExecutionThread | undefined): void {
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
  if (why === "full") return limitExceeded(`too many calls are queued: ${BOUNDS.waiting}`);
  if (why === "clientFull")
    return limitExceeded(`too many calls of this client wait already: ${BOUNDS.waitingPerClient}`);
  return lostTurn(why, timeMs);
}

function isTrace({ kind }: Work): boolean {
  return kind === "traceCall" || kind === "traceCalls" || kind === "traceBlock";
}
