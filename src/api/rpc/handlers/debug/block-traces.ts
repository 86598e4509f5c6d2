import type { BlockReplay, FailedTrace, TransactionTrace } from "../../../../ledger/chain/block-replay.ts";
import { TracerError } from "../../../../ledger/evm/tracers/errors.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { refused } from "../../errors.ts";
import type { TraceConfig } from "../../spec/debug/traces.ts";
import type { Script, ScriptTraces } from "./script-traces.ts";
import { failureText, NOT_RUN, type Plan, planOf, type Scripting } from "./trace-plan.ts";

/** What traces of blocks are made with. */
export interface BlockTraceDeps {
  readonly replay: BlockReplay;
  readonly scripts: ScriptTraces;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Most traces of blocks at the same time; absent = no limit. */
  readonly limit?: number | undefined;
}

/** After so much tracing other tasks get a turn. */
const TURN_MS = 30;

/** Traces whole blocks, giving way to other tasks between transactions. */
export class BlockTraces {
  readonly #deps: BlockTraceDeps;
  #running = 0;

  constructor(deps: BlockTraceDeps) {
    this.#deps = deps;
  }

  /** `txHash` with `result` or `error` of each transaction. @throws RpcError -32000 */
  async trace(block: Block, config: TraceConfig = {}, scripting: Scripting = "refused"): Promise<Json[]> {
    const { limit } = this.#deps;
    if (limit !== undefined && this.#running >= limit)
      throw refused(`heavy debug api requests exceed the limit: ${limit}`);
    if (block.header.number === 0n) throw refused("genesis is not traceable");
    if (block.transactions.length === 0) return [];
    this.#running++;
    try {
      const plan = planOf(config, scripting);
      return await ("script" in plan
        ? this.#collectScripted(block, plan.script, plan.timeoutText)
        : this.#collect(block, plan));
    } catch (error) {
      // The reference makes a tracer for each transaction, and says of each that there is none.
      if (!(error instanceof TracerError) || error.code !== "UNKNOWN_TRACER") throw error;
      const { message } = error;
      return block.transactions.map((tx) => ({ txHash: bytesToHex(transactionHash(tx)), error: message }));
    } finally {
      this.#running--;
    }
  }

  /** Where the thread has ended on the way, what ended it stands for all that it did not come to. */
  async #collectScripted(block: Block, script: Script, timeoutText: string): Promise<Json[]> {
    const outcomes = await this.#deps.scripts.block(script, block);
    return block.transactions.map((tx, index) => {
      const outcome = outcomes[index] ?? outcomes.at(-1) ?? NOT_RUN;
      if ("error" in outcome && isWithoutResult(outcome.error)) throw refused(outcome.error.message);
      const hash = transactionHash(tx);
      return showTrace(
        "text" in outcome ? { hash, result: JSON.parse(outcome.text) as Json } : { hash, ...outcome },
        timeoutText,
      );
    });
  }

  async #collect(
    block: Block,
    { factory, timeoutMs, timeoutText }: Exclude<Plan, { script: Script }>,
  ): Promise<Json[]> {
    const { replay, now } = this.#deps;
    const shown: Json[] = [];
    const traces = replay.traceAll(block, factory, () => now() + timeoutMs);
    let turn = now();
    for (;;) {
      const next = traces.next();
      if (next.done) return shown;
      shown.push(showTrace(next.value, timeoutText));
      if (now() - turn < TURN_MS) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      turn = now();
    }
  }
}

/** As the reference traces a range: it leaves a block at the first failure, and shows the rest of it as null. */
export function upToFailure(traces: readonly Json[]): Json[] {
  const failed = traces.findIndex((trace) => typeof trace === "object" && trace !== null && "error" in trace);
  return traces.map((trace, index) => (failed >= 0 && index > failed ? null : trace));
}

/** The reference cannot encode a result that is undefined, and answers the whole call with that error. */
function isWithoutResult(error: unknown): error is TracerError {
  return error instanceof TracerError && error.code === "NO_RESULT";
}

function showTrace(trace: TransactionTrace | FailedTrace, timeoutText: string): Json {
  const txHash = bytesToHex(trace.hash);
  if ("result" in trace) return { txHash, result: trace.result };
  return { txHash, error: failureText(trace.error, timeoutText) };
}
