import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import {
  openRecorded,
  type RecordedChain,
  readFixture,
  recordedBlocks,
} from "../../../network/consensus/testing/recorded-chain.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { ScriptEngine } from "../../evm/tracers/script/script-engine.ts";
import { joinText } from "../../evm/tracers/tracer.ts";
import { type BlockTraceWork, type JobOutcome, plainBlock } from "../../execution/job.ts";
import { runJob } from "../../execution/jobs/run-job.ts";
import { BlockReplay } from "../execute/block-replay.ts";

/** What the reference node v2.2.1 returned for `debug_traceTransaction` with tracers written in JavaScript. */
const recording = JSON.parse(
  gunzipSync(
    readFileSync(new URL("../../../../test/fixtures/traces/scripts.json.gz", import.meta.url)),
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

describe("JavaScript tracers on the recorded chain", () => {
  let recorded: RecordedChain;
  let engine: ScriptEngine;

  beforeAll(async () => {
    engine = await ScriptEngine.load();
    recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    const last = Math.max(...recording.traces.map(({ block }) => block));
    for (const block of recordedBlocks("all-types")) {
      if (block.header.number > last) break;
      // Headers are checked elsewhere.
      await recorded.execute(block);
    }
    await recorded.chain.published();
  }, 60_000);

  function run(number: bigint, index: number, code: string): JobOutcome<BlockTraceWork> {
    const { chain, processor } = recorded;
    const traced = { tracer: { kind: "script", code }, timeoutMs: 60_000 } as const;
    const { work, block } = new BlockReplay(chain, processor).plan(
      chain.block(number) as Block,
      traced,
      index,
    );
    const sources = { state: block.state, blockHash: block.context.blockHash };
    const machine = { evm: block.evm, engine: () => engine, now: () => Date.now(), limits: {} };
    const job = { block: plainBlock(block), work };
    return [...runJob(job, sources, machine)][0] as JobOutcome<BlockTraceWork>;
  }

  it.each(Object.entries(recording.tracers))("return what the reference node returned: %s", (name, code) => {
    const traces = recording.traces.filter(({ tracer }) => tracer === name);
    for (const { block, index, result, error } of traces) {
      const outcome = run(BigInt(block), index, code);
      const shown =
        "value" in outcome
          ? { result: JSON.parse(joinText(outcome.value)) }
          : { error: (outcome.error as Error).message };
      expect(shown, `${name} of transaction ${index} in block ${block}`).toEqual(
        error === undefined ? { result } : { error },
      );
    }
    expect(traces.length).toBeGreaterThan(0);
  });
});
