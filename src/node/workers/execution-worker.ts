import { setPriority } from "node:os";
import { getHeapStatistics } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { createInlineCompiler } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { createEvm } from "../../ledger/evm/engine/create-evm.ts";
import { precompiles } from "../../ledger/evm/precompiles/index.ts";
import { ScriptEngine } from "../../ledger/evm/tracers/script/script-engine.ts";
import type { ExecutionJob } from "../../ledger/execution/job.ts";
import { runJob } from "../../ledger/execution/jobs/run-job.ts";
import { cachedState } from "../../ledger/state/cached-state.ts";
import type { StateReader } from "../../ledger/state/state.ts";
import type { JobMessage, ThreadMessage, ThreadSetup } from "./execution-channel.ts";
import { failureOf } from "./execution-failure.ts";
import { ReadClient } from "./read-channel.ts";

// The thread for long-running executions: calls, estimates, traces, custom tracers. It has no access to the node's state, but
// requests every part of it from the main thread, and blocks meanwhile.

const { channel, niceness, compile = "auto", ...limits } = workerData as ThreadSetup;
// On Linux niceness is per thread, elsewhere per process.
if (process.platform === "linux") setPriority(0, niceness);

/** Transfers the pieces of a long trace without copying. */
const tell = (message: ThreadMessage): void => parentPort?.postMessage(message, transfersOf(message));
const reads = new ReadClient(channel, () => tell({ kind: "read" }));
/** A clock that excludes waits for another node, and jumps to infinity once the caller has disconnected. */
const now = (): number => (reads.isCancelled ? Number.POSITIVE_INFINITY : performance.now() - reads.waitedMs);
const evm = createEvm({ precompiles, now, compiler: createInlineCompiler(compile), ...limits });
let engine: ScriptEngine | undefined;
let keptState: { readonly key: string; readonly state: StateReader } | undefined;

/** The engine, or a new one if the last script left it in an unknown state or with too much memory. */
async function usableEngine(): Promise<ScriptEngine> {
  if (engine === undefined || engine.isUnusable) engine = await ScriptEngine.load();
  return engine;
}

parentPort?.on("message", async ({ job, timeMs }: JobMessage) => {
  try {
    await work(job, now() + timeMs);
  } catch (error) {
    tell({ kind: "failure", failure: failureOf(error) });
  }
  const { total_heap_size, external_memory } = getHeapStatistics();
  tell({ kind: "done", heldBytes: total_heap_size + external_memory });
});

/** State read by a job is cached for the next one on the same state; a state with another key starts empty. */
function stateOf({ stateKey }: ExecutionJob): StateReader {
  if (stateKey !== undefined && stateKey === keptState?.key) return keptState.state;
  const state = cachedState(reads.sources().state);
  keptState = stateKey === undefined ? undefined : { key: stateKey, state };
  return state;
}

function transfersOf(message: ThreadMessage): ArrayBuffer[] {
  const isTrace = message.kind === "value" && Array.isArray(message.value);
  return isTrace ? message.value.flatMap(bufferOf) : [];
}

function bufferOf(piece: unknown): ArrayBuffer[] {
  return piece instanceof Uint8Array ? [piece.buffer as ArrayBuffer] : [];
}

async function work(job: ExecutionJob, deadline: number): Promise<void> {
  const { work } = job;
  const isScript = "tracer" in work && work.tracer.kind === "script";
  let ready = isScript ? await usableEngine() : undefined;
  const machine = {
    ...{ evm, now, limits: { deadline } },
    engine: () => ready as ScriptEngine,
    onBegin: (timeoutMs: number) => tell({ kind: "begin", timeoutMs }),
  };
  const sources = { state: stateOf(job), blockHash: reads.sources().blockHash };
  for (const outcome of runJob(job, sources, machine)) {
    if ("value" in outcome) tell({ kind: "value", value: outcome.value });
    else tell({ kind: "failure", failure: failureOf(outcome.error) });
    if (isScript) ready = await usableEngine();
  }
}
