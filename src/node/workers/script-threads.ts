import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { ScriptRunner } from "../../api/rpc/handlers/debug/script-traces.ts";
import type { Evm } from "../../ledger/evm/evm.ts";
import { ScriptEngine } from "../../ledger/evm/tracers/script/script-engine.ts";
import {
  runScriptJob,
  type ScriptJob,
  type ScriptOutcome,
  type ScriptSources,
} from "../../ledger/execution/script-job.ts";
import { ScriptThread } from "./script-thread.ts";

/** A core is left to the node; more threads than this serve nobody better. */
const MOST_THREADS = 4;
/** After so long without a job a thread gives its memory back. */
const IDLE_MS = 30_000;

interface Waiting {
  readonly job: ScriptJob;
  readonly sources: ScriptSources;
  readonly done: (outcomes: Promise<readonly ScriptOutcome[]>) => void;
}

/** Threads for the callers' tracers. They start with the first job, and end when there is none for a while, and with `close`. */
export interface ScriptThreads extends ScriptRunner {
  close(): Promise<void>;
}

/**
 * Makes the threads; jobs wait in the order in which they came. Where no worker was built they run in this thread, which then
 * stands still.
 */
export function createScriptThreads(evm: Evm, now: () => number): ScriptThreads {
  const script = workerScript();
  if (script !== undefined) return new Threads(script);
  return { run: (job, sources) => runInline(job, sources, evm, now), close: async () => {} };
}

class Threads implements ScriptThreads {
  readonly #script: URL;
  readonly #most = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1));
  readonly #busy = new Set<ScriptThread>();
  readonly #idle: ScriptThread[] = [];
  readonly #waiting: Waiting[] = [];
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(script: URL) {
    this.#script = script;
  }

  run(job: ScriptJob, sources: ScriptSources): Promise<readonly ScriptOutcome[]> {
    return new Promise((done) => {
      this.#waiting.push({ job, sources, done });
      this.#next();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    for (const { done } of this.#waiting.splice(0)) done(Promise.resolve([]));
    await Promise.all([...this.#busy, ...this.#idle.splice(0)].map((thread) => thread.close()));
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#busy.size >= this.#most) return;
    const { job, sources, done } = this.#waiting.shift() as Waiting;
    clearTimeout(this.#idleTimer);
    const thread = this.#idle.pop() ?? new ScriptThread(this.#script);
    this.#busy.add(thread);
    const outcomes = thread.run(job, sources);
    void outcomes.then(() => this.#rest(thread));
    done(outcomes);
  }

  #rest(thread: ScriptThread): void {
    this.#busy.delete(thread);
    if (!thread.isEnded) this.#idle.push(thread);
    this.#next();
    if (this.#busy.size > 0) return;
    this.#idleTimer = setTimeout(() => this.#release(), IDLE_MS);
    this.#idleTimer.unref();
  }

  #release(): void {
    for (const thread of this.#idle.splice(0)) void thread.close();
  }
}

let engine: Promise<ScriptEngine> | undefined;

async function runInline(
  job: ScriptJob,
  sources: ScriptSources,
  evm: Evm,
  now: () => number,
): Promise<readonly ScriptOutcome[]> {
  engine ??= ScriptEngine.load();
  const machine = { evm, engine: await engine, now };
  const outcomes: ScriptOutcome[] = [];
  for (const outcome of runScriptJob(job, sources, machine)) {
    outcomes.push(outcome);
    if (!machine.engine.isSpent) continue;
    engine = ScriptEngine.load();
    machine.engine = await engine;
  }
  return outcomes;
}

/** The built worker: beside the program's files or one folder above its chunks. Undefined when run from source. */
function workerScript(): URL | undefined {
  const places = ["script-worker.js", "../script-worker.js"].map((name) => new URL(name, import.meta.url));
  return places.find((place) => existsSync(fileURLToPath(place)));
}
