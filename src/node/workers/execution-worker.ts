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
import { ReadAsker } from "./read-channel.ts";

// The thread that executes long-running work: calls, estimates, traces, tracers written by callers. All it has of
// the node is what it requests: it blocks until the main thread has read a part of the state for it.

const { channel, niceness, compile = "auto", ...limits } = workerData as ThreadSetup;
// Linux counts niceness by thread, the others by process.
if (process.platform === "linux") setPriority(0, niceness);

/** The pieces of a long trace are transferred without a copy. */
const tell = (message: ThreadMessage): void => parentPort?.postMessage(message, transfersOf(message));
const asker = new ReadAsker(channel, () => tell({ kind: "read" }));
/** Milliseconds left, not counting waits for another node; none once the caller has disconnected. */
const now = (): number => (asker.isCancelled ? Number.POSITIVE_INFINITY : performance.now() - asker.waitedMs);
const evm = createEvm({ precompiles, now, compiler: createInlineCompiler(compile), ...limits });
let engine: ScriptEngine | undefined;
let keptState: { readonly key: string; readonly state: StateReader } | undefined;

/** The engine, or a new one if the last script left it in an unknown state or with much memory. */
async function soundEngine(): Promise<ScriptEngine> {
  if (engine === undefined || engine.isSpent) engine = await ScriptEngine.load();
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
  const state = cachedState(asker.sources().state);
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
  let ready = isScript ? await soundEngine() : undefined;
  const machine = {
    ...{ evm, now, limits: { deadline } },
    engine: () => ready as ScriptEngine,
    onBegin: (timeoutMs: number) => tell({ kind: "begin", timeoutMs }),
  };
  const sources = { state: stateOf(job), blockHash: asker.sources().blockHash };
  for (const outcome of runJob(job, sources, machine)) {
    if ("value" in outcome) tell({ kind: "value", value: outcome.value });
    else tell({ kind: "failure", failure: failureOf(outcome.error) });
    if (isScript) ready = await soundEngine();
  }
}
