import { randomBytes } from "node:crypto";
import type { BadBlock, BadBlocks } from "../../../../../ledger/chain/tables/bad-blocks.ts";
import { LARGE_FILE, readTextWithin } from "../../../../../platform/intake/read-file.ts";
import { type DumpFolder, writeNew } from "../../../../../platform/telemetry/dump-folder.ts";
import type { Block } from "../../../../../protocol/block/block.ts";
import { decodeBlock } from "../../../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../../../protocol/block/hash.ts";
import type { Json } from "../../../../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex, leadingHexBytes } from "../../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../../protocol/transaction/hash.ts";
import { refused } from "../../../engine/errors.ts";
import { joinedTexts } from "../../../engine/text/list-text.ts";
import type { debugTraces, TraceConfig } from "../../../spec/debug/traces.ts";
import type { CallContext, Handlers } from "../../../spec/method.ts";
import { JsonText, type Text } from "../../../spec/values/json-text.ts";
import type { CallRunner } from "../../calls/call-runner.ts";
import { type ChainReader, noBlock } from "../../chain/chain-reader.ts";
import type { Executor } from "../../execution/executor.ts";
import { fileRefusal, nullAfter } from "../null-after.ts";
import { type BlockTraces, listText, type ShownTrace } from "./block-traces.ts";
import { callerOf, checkSize, planOf, type Scripting, scriptingOf, shownTrace } from "./trace-plan.ts";
import { rangeOf } from "./traced-range.ts";

/** What traces are made with. */
export interface TraceDeps {
  readonly reader: ChainReader;
  readonly runner: CallRunner;
  readonly executor: Executor;
  readonly blocks: BlockTraces;
  readonly badBlocks: () => BadBlocks;
  readonly dumps: DumpFolder;
}

/** Traces of transactions. */
export function debugTraceHandlers(deps: TraceDeps): Handlers<typeof debugTraces> {
  const { reader, runner, executor, blocks, dumps } = deps;
  const { chain } = reader;
  const { limits } = blocks;
  const list = async (
    block: Block,
    config: TraceConfig | undefined,
    scripting: Scripting,
    context: CallContext,
  ): Promise<JsonText> => {
    const traces = await blocks.trace(block, config, scripting, callerOf(context, limits));
    return jsonText(listText(traces, limits));
  };
  return {
    traceTransaction({ hash, config = {} }, context) {
      const place = chain.locate(hash);
      if (place === undefined) throw refused(`transaction ${plainHex(hash)} not found`);
      const plan = planOf(config, scriptingOf(context), limits);
      const block = chain.block(place.blockNumber) as Block;
      return shownTrace(plan.timeoutText, limits, () =>
        blocks.traceOne(block, place.index, plan, callerOf(context, limits)),
      );
    },
    traceCall({ call, block, config = {} }, context) {
      if (typeof block.number !== "string") reader.requireBlock(block);
      const { tracer, timeoutMs, timeoutText } = planOf(config, scriptingOf(context), limits);
      return shownTrace(timeoutText, limits, () =>
        executor.outcomes(() => runner.plan(call, block, tracer, timeoutMs), callerOf(context, limits)),
      );
    },
    traceBlock: ({ block, config }, context) => list(decoded(block), config, scriptingOf(context), context),
    async traceBlockByNumber({ number, config }, context) {
      const { block } = await reader.withBlock(number, (located) => located ?? noBlock(number));
      return list(block, config, "refused", context);
    },
    traceBlockByHash: ({ hash, config }, context) =>
      list(reader.requireBlock({ hash, requireCanonical: false }).block, config, "refused", context),
    async traceBlockByNumberRange({ first, last, config }, context) {
      const [from, to] = rangeOf(reader, first, last);
      if (to > reader.chain.head.header.number) return jsonText("null");
      const caller = callerOf(context, limits, context.allowance ?? { spentMs: 0 });
      const texts: Text[] = [];
      let characters = 0;
      for (let number = from; number <= to; number++) {
        const traces = await blocks.traceIn(number, reader, config, caller);
        characters += traces.length;
        checkSize(characters, limits.characters);
        texts.push(joinedTexts(`"${number}":`, [traces], ""));
      }
      return jsonText(joinedTexts("{", texts, "}"));
    },
    traceBlockFromFile: async ({ file, config }, context) => {
      const block = decoded(await readHex(fileOf(dumps, file, context.access.local === true)));
      return list(block, config, "allowed", context);
    },
    traceBadBlock: ({ hash, config }, context) =>
      list(badBlock(deps.badBlocks(), hash).block, config, "refused", context),
    async standardTraceBlockToFile({ hash, config = {} }, context) {
      const block = reader.blockWith(hash)?.block;
      if (block === undefined) throw refused(`block ${plainHex(hash)} not found`);
      const traces = await blocks.trace(block, { ...config }, "refused", callerOf(context, limits));
      return filesOrNull(await writeTraces(dumps, block, traces, config.txHash));
    },
    async standardTraceBadBlockToFile({ hash, config = {} }, context) {
      const { block } = badBlock(deps.badBlocks(), hash);
      const traces = await blocks.trace(block, { ...config }, "refused", callerOf(context, limits));
      return filesOrNull(await writeTraces(dumps, block, traces, config.txHash));
    },
  };
}

/** The reference writes null for a block without transactions. */
function filesOrNull(files: readonly string[]): readonly string[] | null {
  return files.length === 0 ? null : files;
}

function jsonText(text: Text): JsonText {
  return new JsonText(text);
}

function badBlock(badBlocks: BadBlocks, hash: Hash): BadBlock {
  const bad = badBlocks.list();
  if (bad.length === 0) throw refused("data is not found with the given key");
  const found = bad.find((candidate) => equalBytes(candidate.hash, hash));
  if (found === undefined) throw refused(`bad block ${plainHex(hash)} not found`);
  return found;
}

function decoded(bytes: Uint8Array): Block {
  try {
    return decodeBlock(bytes);
  } catch (error) {
    throw refused(`could not decode block: ${(error as Error).message}`);
  }
}

/** @throws RpcError -32000 with the reference's text */
function fileOf(dumps: DumpFolder, file: string, mayLeave: boolean): string {
  try {
    return dumps.find(file, mayLeave);
  } catch (error) {
    throw refused(`could not read file: ${(error as Error).message}`);
  }
}

async function readHex(file: string): Promise<Uint8Array> {
  let text: string;
  try {
    text = readTextWithin(file, LARGE_FILE);
  } catch (error) {
    throw fileRefusal(error);
  }
  return leadingHexBytes(text.trim());
}

/** Writes each struct log to its own new file, one step per line. */
async function writeTraces(
  dumps: DumpFolder,
  block: Block,
  traces: readonly ShownTrace[],
  only: Hash | undefined,
): Promise<readonly string[]> {
  const random = randomBytes(4).toString("hex"); // as in the reference's names, and unique per call
  const prefix = bytesToHex(blockHash(block.header)).slice(0, 10);
  const files: string[] = [];
  for (const [index, tx] of block.transactions.entries()) {
    const hash = transactionHash(tx);
    if (only !== undefined && !equalBytes(only, hash)) continue;
    const { shown, isFailed } = traces[index] as ShownTrace;
    const result = isFailed ? undefined : (JSON.parse(String(shown)) as { structLogs: Json[] });
    const file = dumps.place(`block_${prefix}-${index}-${bytesToHex(hash).slice(0, 10)}-${random}`);
    await nullAfter(
      writeNew(file, (result?.structLogs ?? []).map((step) => `${JSON.stringify(step)}\n`).join("")),
    );
    files.push(file);
  }
  if (only !== undefined && files.length === 0)
    throw refused(`transaction ${bytesToHex(only)} not found in block`);
  return files;
}

function plainHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}
