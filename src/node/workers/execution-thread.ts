import type { Worker } from "node:worker_threads";
import type { CompileMode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { EvmError } from "../../ledger/evm/engine/create-evm.ts";
import { EvmTimeout } from "../../ledger/evm/evm.ts";
import type { ExecutionJob, JobOutcome, JobSources } from "../../ledger/execution/job.ts";
import type { JobMessage, ThreadMessage, ThreadSetup } from "./execution-channel.ts";
import { errorOf } from "./execution-failure.ts";
import { createChannel, ReadServer } from "./read-channel.ts";

/** Grace period after its deadline before a job is killed with its thread. */
const GRACE_MS = 250;
/** Memory of the frames of one run, bytes. */
const MEMORY_LIMIT = 256 << 20;
/** Limits of the thread's own heap, apart from the EVM and the script engine. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };
/**
 * The memory of calls is limited; blocks have as much as the main thread, since all nodes must reach the same result.
 */
export const CALL_THREAD: ThreadKind = { niceness: 10, memoryLimit: MEMORY_LIMIT, resourceLimits: LIMITS };
/** A thread that holds more than this after a job is terminated, to release the memory. */
const HELD_LIMIT = 192 << 20;

/** How a thread is set up. */
export interface ThreadKind {
  /** Nice value. */
  readonly niceness: number;
  /** Maximum memory of the frames of one run in bytes. */
  readonly memoryLimit?: number;
  /** Which code it compiles; absent = hot code. */
  readonly compile?: CompileMode | undefined;
  readonly resourceLimits?: Readonly<typeof LIMITS>;
}

/** Time limit of a job, and the signal of its caller. */
export interface ThreadTerms {
  /** Milliseconds; infinite = no limit. */
  readonly timeMs: number;
  readonly signal: AbortSignal;
}

interface Running {
  readonly sources: JobSources;
  readonly outcomes: JobOutcome[];
  readonly done: (outcomes: readonly JobOutcome[]) => void;
  readonly signal: AbortSignal;
  readonly leave: () => void;
  /** Deadline of the whole job, by `performance.now()`. */
  endMs: number;
  /** Whether the caller has disconnected, which ends the job before its deadline. */
  isCancelled: boolean;
}

/** A thread that executes one job at a time. It keeps the process alive only while it has one. */
export class ExecutionThread {
  readonly #worker: Worker;
  readonly #reads: ReadServer;
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether it has ended and accepts no more jobs. */
  isEnded = false;

  constructor(script: URL, { resourceLimits, ...kind }: ThreadKind = CALL_THREAD) {
    const { Worker } = process.getBuiltinModule("node:worker_threads"); // not loaded at the node's start
    const workerData: ThreadSetup = { channel: createChannel(), ...kind };
    this.#reads = new ReadServer(workerData.channel);
    this.#worker = new Worker(script, {
      workerData,
      name: "execution",
      ...(resourceLimits && { resourceLimits }),
    });
    this.#worker.unref();
    this.#worker.on("message", (message: ThreadMessage) => this.#receive(message));
    this.#worker.on("error", (error) => this.#end(explained(error as NodeJS.ErrnoException)));
    this.#worker.on("exit", () => this.#end(new Error("the thread of a call has ended")));
  }

  /** Runs a job; the outcomes come in order. If the thread ends meanwhile, the last outcome is an error. */
  run(
    job: ExecutionJob,
    sources: JobSources,
    { timeMs, signal }: ThreadTerms,
  ): Promise<readonly JobOutcome[]> {
    return new Promise((done) => {
      const leave = () => this.#cancel();
      const endMs = performance.now() + timeMs;
      this.#running = { sources, outcomes: [], done, signal, leave, endMs, isCancelled: false };
      signal.addEventListener("abort", leave, { once: true });
      this.#reads.begin();
      this.#worker.ref();
      this.#watch(timeMs);
      this.#send({ job, timeMs });
    });
  }

  /** @param reason - error for a running job */
  async close(reason?: Error): Promise<void> {
    this.isEnded = true;
    if (reason !== undefined) this.#running?.outcomes.push({ error: reason });
    this.#finish();
    await this.#worker.terminate();
  }

  /** A message that cannot be sent is not the thread's fault. */
  #send(message: JobMessage): void {
    try {
      this.#worker.postMessage(message);
    } catch (error) {
      this.#running?.outcomes.push({ error: error as Error });
      this.#finish();
    }
  }

  #receive(message: ThreadMessage): void {
    const running = this.#running;
    if (running === undefined) return;
    switch (message.kind) {
      case "read":
        this.#answer(running);
        return;
      case "begin":
        this.#watch(Math.min(message.timeoutMs, running.endMs - performance.now()));
        return;
      case "value":
        running.outcomes.push({ value: message.value });
        return;
      case "failure":
        running.outcomes.push({ error: errorOf(message.failure) });
        return;
      case "done":
        this.#finish();
        if (message.heldBytes > HELD_LIMIT && !this.isEnded) void this.close();
    }
  }

  /** Serves a read. Time spent fetching from another node does not count against the job, up to `MAX_FETCH_MS` in total. */
  #answer(running: Running): void {
    const goOn = (grantedMs: number): void => {
      running.endMs += grantedMs;
      if (this.#running === running) this.#watch(running.endMs - performance.now());
    };
    const fail = (error: unknown): void => {
      if (this.#running === running) this.#end(error as Error);
    };
    try {
      const taken = this.#reads.answer(running.sources);
      if (typeof taken === "number") return;
      this.#watch(running.endMs - performance.now() + this.#reads.grantMs);
      taken.then(goOn, fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Ends the thread if the job does not stop in time, for instance in a long-running operation without time checks. */
  #watch(timeMs: number): void {
    if (this.#running?.isCancelled === true) return;
    clearTimeout(this.#timer);
    if (timeMs === Number.POSITIVE_INFINITY) return;
    const end = () => this.#end(new EvmTimeout("EVM_TIMEOUT", "execution timed out"));
    this.#timer = setTimeout(end, Math.max(timeMs, 0) + GRACE_MS);
    this.#timer.unref();
  }

  /** Called when the caller disconnects: the job stops at its next time check, or is killed with its thread. */
  #cancel(): void {
    this.#reads.cancel();
    this.#watch(0);
    if (this.#running !== undefined) this.#running.isCancelled = true;
  }

  #end(error: Error): void {
    void this.close(error);
  }

  #finish(): void {
    clearTimeout(this.#timer);
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#worker.unref();
    running.signal.removeEventListener("abort", running.leave);
    running.done(running.outcomes);
  }
}

function explained(error: NodeJS.ErrnoException): Error {
  if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  const text = "the execution needs more memory than one call may have";
  return new EvmError("EVM_RESOURCES", text, {}, { cause: error });
}
