import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import {
  openRecorded,
  type RecordedChain,
  readFixture,
  recordedBlocks,
} from "../../network/consensus/testing/recorded-chain.ts";
import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import { ScriptEngine } from "../evm/tracers/script/script-engine.ts";
import { plainBlock, plainTransaction, runScriptJob, type ScriptOutcome } from "../execution/script-job.ts";
import type { StateReader } from "../state/state.ts";
import { BlockReplay } from "./block-replay.ts";

/** What the reference node v2.2.1 answered to `debug_traceTransaction` with tracers written in JavaScript. */
const recording = JSON.parse(
  gunzipSync(
    readFileSync(new URL("../../../test/fixtures/traces/scripts.json.gz", import.meta.url)),
  ).toString(),
) as {
  readonly tracers: Readonly<Record<string, string>>;
  readonly traces: readonly {
    readonly block: number;
    readonly index: number;
    readonly tracer: string;
    readonly result?: unknown;
    readonly error?: string;
  }[];
};

describe("tracers written by the caller on the recorded chain", () => {
  let recorded: RecordedChain;
  let engine: ScriptEngine;

  beforeAll(async () => {
    engine = await ScriptEngine.load();
    recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    const last = Math.max(...recording.traces.map(({ block }) => block));
    for (const block of recordedBlocks("all-types")) {
      if (block.header.number > last) break;
      // Headers are checked elsewhere.
      const { totals, staged } = recorded.processor.verify(block);
      recorded.chain.commit(staged, { block, hash: blockHash(block.header), receipts: totals.receipts });
    }
    await recorded.chain.published();
  }, 60_000);

  function run(number: bigint, index: number, code: string): ScriptOutcome {
    const { chain, processor } = recorded;
    const block = chain.block(number) as Block;
    const environment = new BlockReplay(chain, processor).environment(block);
    const { chainId } = environment.context.rules;
    const work = {
      kind: "block",
      parentHash: block.header.parentHash,
      transactions: block.transactions.slice(0, index + 1).map((tx) => plainTransaction(tx, chainId)),
      index,
    } as const;
    const job = { code, timeoutMs: 60_000, block: plainBlock(environment), work };
    const sources = {
      state: chain.stateAt(number - 1n) as StateReader,
      blockHash: (ancestor: bigint): Hash => environment.context.blockHash(ancestor),
    };
    const machine = { evm: environment.evm, engine, now: () => Date.now() };
    return [...runScriptJob(job, sources, machine)][0] as ScriptOutcome;
  }

  it.each(Object.entries(recording.tracers))("answers as the reference: %s", (name, code) => {
    const traces = recording.traces.filter(({ tracer }) => tracer === name);
    for (const { block, index, result, error } of traces) {
      const outcome = run(BigInt(block), index, code);
      const shown =
        "text" in outcome
          ? { result: JSON.parse(outcome.text) }
          : { error: (outcome.error as Error).message };
      expect(shown, `${name} of transaction ${index} in block ${block}`).toEqual(
        error === undefined ? { result } : { error },
      );
    }
    expect(traces.length).toBeGreaterThan(0);
  });
});
