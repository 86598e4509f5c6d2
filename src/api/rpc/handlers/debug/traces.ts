import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BadBlock, BadBlocks } from "../../../../ledger/chain/bad-blocks.ts";
import type { BlockReplay } from "../../../../ledger/chain/block-replay.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import { decodeBlock } from "../../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { refused } from "../../errors.ts";
import type { Handlers } from "../../method.ts";
import type { debugTraces } from "../../spec/debug/traces.ts";
import type { CallRunner } from "../call-runner.ts";
import { type ChainReader, noBlock } from "../chain-reader.ts";
import { type BlockTraces, upToFailure } from "./block-traces.ts";
import type { ScriptTraces } from "./script-traces.ts";
import { traceCall } from "./trace-call.ts";
import { guarded, guardedAsync, planOf, scriptingOf, shownBy } from "./trace-plan.ts";

/** What traces are made with. */
export interface TraceDeps {
  readonly reader: ChainReader;
  readonly replay: BlockReplay;
  readonly runner: CallRunner;
  readonly scripts: ScriptTraces;
  readonly blocks: BlockTraces;
  readonly badBlocks: () => BadBlocks;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What transactions did in the virtual machine. */
export function debugTraceHandlers(deps: TraceDeps): Handlers<typeof debugTraces> {
  const { reader, replay, runner, scripts, blocks, now } = deps;
  const { chain } = reader;
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
        const shown = upToFailure(await blocks.trace(block, config, "allowed"));
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
