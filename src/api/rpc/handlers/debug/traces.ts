import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BadBlock, BadBlocks } from "../../../../ledger/chain/bad-blocks.ts";
import type { BlockReplay, FailedTrace, TransactionTrace } from "../../../../ledger/chain/block-replay.ts";
import { EvmTimeout } from "../../../../ledger/evm/evm.ts";
import { TracerError } from "../../../../ledger/evm/tracers/errors.ts";
import { isPredefined, tracerNamed } from "../../../../ledger/evm/tracers/predefined.ts";
import { structLogger } from "../../../../ledger/evm/tracers/struct-logger.ts";
import type { TracerFactory } from "../../../../ledger/evm/tracers/tracer.ts";
import { TransactionRejection } from "../../../../ledger/execution/errors.ts";
import type { ScriptOutcome } from "../../../../ledger/execution/script-job.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import { decodeBlock } from "../../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { refused } from "../../errors.ts";
import type { CallContext, Handlers } from "../../method.ts";
import type { debugTraces, TraceConfig } from "../../spec/debug/traces.ts";
import type { CallRunner } from "../call-runner.ts";
import { type ChainReader, noBlock } from "../chain-reader.ts";
import { durationMs } from "./duration.ts";
import { type Script, type ScriptRunner, ScriptTraces } from "./script-traces.ts";
import { callRefusal, traceCall } from "./trace-call.ts";

/** What traces are made with. */
export interface TraceDeps {
  readonly reader: ChainReader;
  readonly replay: BlockReplay;
  readonly runner: CallRunner;
  readonly scripts: ScriptRunner;
  readonly badBlocks: () => BadBlocks;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Most traces of blocks at the same time; absent = no limit. */
  readonly limit?: number | undefined;
}

const DEFAULT_TIMEOUT = "5s";
const DEFAULT_LOGGER_TIMEOUT = "10s";
/** After so much tracing other tasks get a turn. */
const TURN_MS = 30;

/** A tracer with the time that it may take, or one that the caller has written. */
type Plan =
  | { readonly factory: TracerFactory; readonly timeoutMs: number; readonly timeoutText: string }
  | { readonly script: Script; readonly timeoutText: string };

/** Whether a tracer may be written by the caller: not in methods that the reference counts among the safe ones. */
type Scripting = "allowed" | "refused";

/** What transactions did in the virtual machine. */
export function debugTraceHandlers(deps: TraceDeps): Handlers<typeof debugTraces> {
  const { reader, replay, runner, now } = deps;
  const { chain } = reader;
  const scripts = new ScriptTraces(chain, replay, deps.scripts);
  const blocks = new BlockTraces(deps, scripts);
  return {
    traceTransaction({ hash, config = {} }, context) {
      const place = chain.place(hash);
      if (place === undefined) throw refused(`transaction ${plainHex(hash)} not found`);
      const plan = planOf(config, scriptingOf(context));
      const block = chain.block(place.blockNumber) as Block;
      const { timeoutText } = plan;
      if ("script" in plan)
        return guardedAsync(timeoutText, async () => {
          const [outcome] = await scripts.block(plan.script, block, place.index);
          return shownBy(outcome);
        });
      return guarded(timeoutText, () =>
        replay.trace(block, place.index, plan.factory, now() + plan.timeoutMs),
      );
    },
    traceCall({ call, block, config = {} }, context) {
      const plan = planOf(config, scriptingOf(context));
      if (!("script" in plan))
        return guarded(plan.timeoutText, () => traceCall(runner, call, block, plan.factory));
      return guardedAsync(plan.timeoutText, async () =>
        shownBy(await scripts.call(plan.script, runner.plan(call, block))),
      );
    },
    traceBlock: ({ block, config }, context) => blocks.trace(decoded(block), config, scriptingOf(context)),
    async traceBlockByNumber({ number, config }) {
      const { block } = await reader.withBlock(number, (located) => located ?? noBlock(number));
      return blocks.trace(block, config, "refused");
    },
    traceBlockByHash: ({ hash, config }) =>
      blocks.trace(reader.requireBlock({ hash, requireCanonical: false }).block, config, "refused"),
    async traceBlockByNumberRange({ first, last, config }) {
      const [from, to] = [reader.resolve(first), reader.resolve(last)];
      if (from > to) throw refused(`end block #${to} needs to come after start block #${from - 1n}`);
      const traces: { [number: string]: Json } = {};
      for (let number = from; number <= to; number++) {
        const { block, hash } = reader.requireBlock({ number });
        const shown = await blocks.trace(block, config, "allowed");
        traces[String(number)] = { block: hexNumber(number), hash: bytesToHex(hash), traces: shown };
      }
      return traces;
    },
    traceBlockFromFile: async ({ file, config }) =>
      blocks.trace(decoded(await readHex(file)), config, "allowed"),
    traceBadBlock: ({ hash, config }) =>
      blocks.trace(badBlock(deps.badBlocks(), hash).block, config, "refused"),
    async standardTraceBlockToFile({ hash, config = {} }) {
      const block = reader.blockWith(hash)?.block;
      if (block === undefined) throw refused(`block ${plainHex(hash)} not found`);
      return writeTraces(block, await blocks.trace(block, { ...config }), config.txHash);
    },
    async standardTraceBadBlockToFile({ hash, config = {} }) {
      const { block } = badBlock(deps.badBlocks(), hash);
      return writeTraces(block, await blocks.trace(block, { ...config }), config.txHash);
    },
  };
}

/** Traces whole blocks, giving way to other tasks between transactions. */
class BlockTraces {
  readonly #deps: TraceDeps;
  readonly #scripts: ScriptTraces;
  #running = 0;

  constructor(deps: TraceDeps, scripts: ScriptTraces) {
    this.#deps = deps;
    this.#scripts = scripts;
  }

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
    const outcomes = await this.#scripts.block(script, block);
    return block.transactions.map((tx, index) => {
      const outcome = outcomes[index] ?? outcomes.at(-1) ?? NOT_RUN;
      if ("error" in outcome && isWithoutResult(outcome.error)) throw refused(outcome.error.message);
      const hash = transactionHash(tx);
      return showTrace(
        "text" in outcome ? { hash, result: shownBy(outcome) } : { hash, ...outcome },
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

function badBlock(badBlocks: BadBlocks, hash: Hash): BadBlock {
  const bad = badBlocks.list();
  if (bad.length === 0) throw refused("data is not found with the given key");
  const found = bad.find((candidate) => equalBytes(candidate.hash, hash));
  if (found === undefined) throw refused(`bad block ${plainHex(hash)} not found`);
  return found;
}

function scriptingOf({ access }: CallContext): Scripting {
  return access.unsafe === false ? "refused" : "allowed";
}

function planOf({ tracer, timeout, loggerTimeout, ...options }: TraceConfig, scripting: Scripting): Plan {
  if (tracer === undefined) {
    const timeoutMs = durationMs(loggerTimeout ?? DEFAULT_LOGGER_TIMEOUT);
    return { factory: structLogger(options), timeoutMs, timeoutText: "trace logger timeout" };
  }
  const timeoutMs = durationMs(timeout ?? DEFAULT_TIMEOUT);
  const timeoutText = "execution timeout";
  if (scripting === "allowed" && !isPredefined(tracer))
    return { script: { code: tracer, timeoutMs }, timeoutText };
  return { factory: tracerNamed(tracer), timeoutMs, timeoutText };
}

const NOT_RUN: ScriptOutcome = { error: new TracerError("SCRIPT", "the node is stopping") };

/** @throws what kept the script from a result */
function shownBy(outcome: ScriptOutcome = NOT_RUN): Json {
  if ("error" in outcome) throw outcome.error;
  return JSON.parse(outcome.text) as Json;
}

/** The reference cannot encode a result that is undefined, and answers the whole call with that error. */
function isWithoutResult(error: unknown): error is TracerError {
  return error instanceof TracerError && error.code === "NO_RESULT";
}

function guarded<T>(timeoutText: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw refused(failureText(error, timeoutText));
  }
}

async function guardedAsync<T>(timeoutText: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw refused(failureText(callRefusal(error), timeoutText));
  }
}

/** @throws the error itself when it is none that a trace may end with */
function failureText(error: unknown, timeoutText: string): string {
  if (error instanceof EvmTimeout) return timeoutText;
  if (error instanceof TransactionRejection) return `tracing failed: ${error.message}`;
  if (error instanceof NodeError) return error.message;
  throw error;
}

function showTrace(trace: TransactionTrace | FailedTrace, timeoutText: string): Json {
  const txHash = bytesToHex(trace.hash);
  if ("result" in trace) return { txHash, result: trace.result };
  return { txHash, error: failureText(trace.error, timeoutText) };
}

function decoded(bytes: Uint8Array): Block {
  try {
    return decodeBlock(bytes);
  } catch (error) {
    throw refused(`could not decode block: ${(error as Error).message}`);
  }
}

async function readHex(file: string): Promise<Uint8Array> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw refused(`could not read file: ${(error as Error).message}`);
  }
  const digits = /^(?:0x)?((?:[0-9a-f]{2})*)/i.exec(text.trim())?.[1] ?? "";
  return hexToBytes(`0x${digits}`);
}

/** Writes each struct log to a file of its own, one step a line. */
async function writeTraces(
  block: Block,
  traces: readonly Json[],
  only: Hash | undefined,
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "kairn-trace-"));
  const prefix = bytesToHex(blockHash(block.header)).slice(0, 10);
  const files: string[] = [];
  for (const [index, tx] of block.transactions.entries()) {
    const hash = transactionHash(tx);
    if (only !== undefined && !equalBytes(only, hash)) continue;
    const { result } = traces[index] as { result?: { structLogs: Json[] } };
    const file = join(folder, `block_${prefix}-${index}-${bytesToHex(hash).slice(0, 10)}`);
    await writeFile(file, (result?.structLogs ?? []).map((step) => `${JSON.stringify(step)}\n`).join(""));
    files.push(file);
  }
  if (only !== undefined && files.length === 0)
    throw refused(`transaction ${bytesToHex(only)} not found in block`);
  return files;
}

function plainHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}

function hexNumber(value: bigint): string {
  return `0x${value.toString(16)}`;
}
