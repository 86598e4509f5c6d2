import type { BlockReplay } from "../../../../../ledger/chain/execute/block-replay.ts";
import { EvmTimeout } from "../../../../../ledger/evm/evm.ts";
import { TracerError } from "../../../../../ledger/evm/tracers/errors.ts";
import type { BlockTraceWork, JobOutcome } from "../../../../../ledger/execution/job.ts";
import type { Block } from "../../../../../protocol/block/block.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../../protocol/transaction/hash.ts";
import { RpcError, refused, stopping } from "../../../engine/errors.ts";
import { joinedTexts } from "../../../engine/text/list-text.ts";
import type { TraceLimits } from "../../../services/limits.ts";
import type { TraceConfig } from "../../../spec/debug/traces.ts";
import type { Text } from "../../../spec/values/json-text.ts";
import type { ChainReader } from "../../chain/chain-reader.ts";
import type { Executor, WaitingCaller } from "../../execution/executor.ts";
import { checkSize, failureText, planOf, type Scripting, type TracerPlan, textOf } from "./trace-plan.ts";

/** What tracing of blocks uses. */
export interface BlockTraceDeps {
  readonly replay: BlockReplay;
  readonly executor: Executor;
  readonly limits: TraceLimits;
  /** Maximum concurrent traces of blocks; absent = no limit. */
  readonly limit?: number | undefined;
}

/** The trace of one transaction. */
export interface ShownTrace {
  readonly isFailed: boolean;
  /** Of the transaction. */
  readonly hash: string;
  /** JSON text of the result, or the error. */
  readonly shown: Text;
}

/** Beyond this, a block is known to exceed a time slice of the main thread. */
const SHORT_BLOCK = { gas: 500_000n, transactions: 8 };

/** Traces of all transactions of blocks. */
export class BlockTraces {
  readonly #deps: BlockTraceDeps;
  #running = 0;

  constructor(deps: BlockTraceDeps) {
    this.#deps = deps;
  }

  /** Limits of a request. */
  get limits(): TraceLimits {
    return this.#deps.limits;
  }

  /** The traces of all transactions. @throws RpcError -32000, -32005 */
  trace(
    block: Block,
    config: TraceConfig = {},
    scripting: Scripting,
    caller: WaitingCaller,
  ): Promise<readonly ShownTrace[]> {
    return this.traceBy(block, () => planOf(config, scripting, this.limits), caller);
  }

  /** Traces with a prepared plan. @throws RpcError -32000, -32005 */
  async traceBy(block: Block, plan: () => TracerPlan, caller: WaitingCaller): Promise<readonly ShownTrace[]> {
    const { limit } = this.#deps;
    if (limit !== undefined && this.#running >= limit)
      throw refused(`heavy debug api requests exceed the limit: ${limit}`);
    if (block.header.number === 0n) throw refused("genesis is not traceable");
    if (block.transactions.length === 0) return [];
    this.#running++;
    try {
      const prepared = prepare(plan);
      if ("fault" in prepared) return hashes(block).map((hash) => failedTrace(hash, prepared.fault));
      return await this.#collect(block, prepared.plan, caller);
    } catch (error) {
      if (error instanceof EvmTimeout) throw refused("execution timeout");
      throw error;
    } finally {
      this.#running--;
    }
  }

  /** JSON of a block with its traces, as the reference shows them in a range of blocks. @throws RpcError -32000, -32005 */
  async traceIn(
    number: bigint,
    reader: ChainReader,
    config: TraceConfig | undefined,
    caller: WaitingCaller,
  ): Promise<Text> {
    const { block, hash } = reader.requireBlock({ number });
    const shown = upToFailure(await this.trace(block, config, "allowed", caller));
    const traces = listText(shown, this.limits);
    const before = `{"block":"0x${number.toString(16)}","hash":"${bytesToHex(hash)}","traces":`;
    return joinedTexts(before, [traces], "}");
  }

  /** The trace of one transaction of a block. @throws ChainError `STATE_PRUNED`, EvmTimeout */
  traceOne(
    block: Block,
    index: number,
    plan: TracerPlan,
    caller: WaitingCaller,
  ): Promise<readonly JobOutcome<BlockTraceWork>[]> {
    const isLong = isLongTrace(plan) || index > SHORT_BLOCK.transactions;
    return this.#deps.executor.outcomes(
      () => ({ ...this.#deps.replay.plan(block, plan, index), isLong }),
      caller,
    );
  }

  /** If the thread died, its error stands for all transactions that it did not reach. */
  async #collect(block: Block, plan: TracerPlan, caller: WaitingCaller): Promise<readonly ShownTrace[]> {
    const isLong =
      isLongTrace(plan) ||
      block.header.gasUsed > SHORT_BLOCK.gas ||
      block.transactions.length > SHORT_BLOCK.transactions;
    const outcomes = await this.#deps.executor.outcomes(
      () => ({ ...this.#deps.replay.plan(block, plan), isLong }),
      caller,
    );
    return hashes(block).map((hash, index) => {
      const outcome = outcomes[index] ?? outcomes.at(-1) ?? { error: stopping() };
      if ("value" in outcome) return { hash, shown: textOf(outcome.value), isFailed: false };
      if (isWithoutResult(outcome.error)) throw refused(outcome.error.message);
      return failedTrace(hash, failureText(outcome.error, plan.timeoutText));
    });
  }
}

/** The traces as a list. @throws RpcError -32000 when it is too long for a response */
export function listText(traces: readonly (ShownTrace | null)[], { characters }: TraceLimits): Text {
  checkSize(
    traces.reduce((sum, trace) => sum + (trace?.shown.length ?? 4), 0),
    characters,
  );
  return joinedTexts("[", traces.map(elementText), "]");
}

/** JSON of an object with `txHash` and `result` or `error`. */
function elementText(trace: ShownTrace | null): Text {
  if (trace === null) return "null";
  const { hash, shown, isFailed } = trace;
  if (isFailed) return JSON.stringify({ txHash: hash, error: String(shown) });
  return joinedTexts(`{"txHash":"${hash}","result":`, [shown], "}");
}

/** Traces a range as the reference does: it abandons a block at the first failure, and shows the rest as null. */
function upToFailure(traces: readonly ShownTrace[]): readonly (ShownTrace | null)[] {
  const failed = traces.findIndex(({ isFailed }) => isFailed);
  return traces.map((trace, index) => (failed >= 0 && index > failed ? null : trace));
}

function hashes({ transactions }: Block): readonly string[] {
  return transactions.map((tx) => bytesToHex(transactionHash(tx)));
}

function failedTrace(hash: string, error: string): ShownTrace {
  return { isFailed: true, hash, shown: error };
}

/** The reference creates a tracer per transaction, and reports faults of the options for each. */
function prepare(plan: () => TracerPlan): { readonly plan: TracerPlan } | { readonly fault: string } {
  try {
    return { plan: plan() };
  } catch (error) {
    const isUnknown = error instanceof TracerError && error.code === "UNKNOWN_TRACER";
    if (!isUnknown && !(error instanceof RpcError)) throw error;
    return { fault: error.message };
  }
}

function isLongTrace({ tracer }: TracerPlan): boolean {
  return tracer.kind === "script";
}

/** The reference cannot encode an undefined result, and fails the whole call with that error. */
function isWithoutResult(error: unknown): error is TracerError {
  return error instanceof TracerError && error.code === "NO_RESULT";
}
