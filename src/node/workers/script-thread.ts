import type { MessagePort, Worker } from "node:worker_threads";
import { EvmTimeout } from "../../ledger/evm/evm.ts";
import type { ScriptJob, ScriptOutcome, ScriptSources } from "../../ledger/execution/script-job.ts";
import { overStateAsync } from "../../ledger/state/missing-state.ts";
import { encodeAccount } from "../../protocol/account/account-codec.ts";
import type { Read, ReadAnswer, ThreadMessage } from "./script-channel.ts";
import { errorOf, failureOf } from "./script-failure.ts";

/** How much later than its timeout a script is stopped with its thread: it did not stop when it was told to. */
const GRACE_MS = 1000;
/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;
/** Memory of the thread beside that of the script's engine. */
const LIMITS = { maxOldGenerationSizeMb: 512 };

interface Running {
  readonly job: ScriptJob;
  readonly sources: ScriptSources;
  readonly answers: MessagePort;
  readonly outcomes: ScriptOutcome[];
  readonly done: (outcomes: readonly ScriptOutcome[]) => void;
}

/** A thread for the callers' tracers; one job at a time. It does not keep the process alive. */
export class ScriptThread {
  readonly #worker: Worker;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether it has ended: it takes no job any more. */
  isEnded = false;

  constructor(script: URL) {
    const { Worker } = process.getBuiltinModule("node:worker_threads"); // not loaded at the node's start
    const workerData = { signal: this.#signal.buffer };
    this.#worker = new Worker(script, { workerData, resourceLimits: LIMITS, name: "tracers" });
    this.#worker.unref();
    this.#worker.on("message", (message: ThreadMessage) => this.#receive(message));
    this.#worker.on("error", (error) => this.#end(error as Error));
    this.#worker.on("exit", () => this.#end(new Error("the thread of tracers has ended")));
  }

  /** Runs a job; each outcome in its place. Where the thread ends meanwhile, the last outcome is an error. */
  run(job: ScriptJob, sources: ScriptSources): Promise<readonly ScriptOutcome[]> {
    const { MessageChannel } = process.getBuiltinModule("node:worker_threads");
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    return new Promise((done) => {
      this.#running = { job, sources, answers: port1, outcomes: [], done };
      this.#worker.postMessage({ job, answers: port2 }, [port2]);
    });
  }

  async close(): Promise<void> {
    this.isEnded = true;
    await this.#worker.terminate();
  }

  #receive(message: ThreadMessage): void {
    const running = this.#running;
    if (running === undefined) return;
    switch (message.kind) {
      case "read":
        void this.#answer(running, message.read);
        return;
      case "begin":
        this.#watch(running.job.timeoutMs);
        return;
      case "outcome":
        running.outcomes.push({ text: message.text });
        return;
      case "failure":
        running.outcomes.push({ error: errorOf(message.failure) });
        return;
      case "done":
        this.#finish();
    }
  }

  async #answer({ sources, answers }: Running, read: Read): Promise<void> {
    let answer: ReadAnswer;
    try {
      answer = { bytes: await overStateAsync(() => bytesOf(sources, read)) };
    } catch (error) {
      answer = { failure: failureOf(error) };
    }
    answers.postMessage(answer);
    Atomics.store(this.#signal, 0, 1);
    Atomics.notify(this.#signal, 0);
  }

  /** Stops the thread when a script outlives its time, as in an operation that asks nobody. */
  #watch(timeoutMs: number): void {
    clearTimeout(this.#timer);
    const delay = Math.min(Math.max(timeoutMs, 0) + GRACE_MS, LONGEST_MS);
    this.#timer = setTimeout(
      () => void this.#end(new EvmTimeout("EVM_TIMEOUT", "execution timed out")),
      delay,
    );
    this.#timer.unref();
  }

  #end(error: Error): void {
    if (!this.isEnded) void this.close();
    this.#running?.outcomes.push({ error });
    this.#finish();
  }

  #finish(): void {
    clearTimeout(this.#timer);
    const running = this.#running;
    this.#running = undefined;
    running?.answers.close();
    running?.done(running.outcomes);
  }
}

/** A part of the state; always a copy, since what a store hands out may be a view of all it has. */
function bytesOf({ state, blockHash }: ScriptSources, read: Read): Uint8Array | undefined {
  switch (read.kind) {
    case "account": {
      const account = state.account(read.address);
      return account && encodeAccount(account).slice();
    }
    case "storage":
      return state.storage(read.address, read.slot).slice();
    case "code":
      return state.code(read.hash).slice();
    default:
      return blockHash(read.number).slice();
  }
}
