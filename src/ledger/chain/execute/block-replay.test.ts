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
import { EvmTimeout } from "../../evm/evm.ts";
import { joinText } from "../../evm/tracers/tracer.ts";
import type { TracerChoice } from "../../execution/job.ts";
import { runWork } from "../../execution/jobs/run-job.ts";
import { BlockReplay } from "./block-replay.ts";

interface RecordedTrace {
  readonly block: number;
  readonly index: number;
  readonly tracer: string | null;
  readonly result: unknown;
}

const traces: RecordedTrace[] = JSON.parse(
  gunzipSync(
    readFileSync(new URL("../../../../test/fixtures/traces/all-types.json.gz", import.meta.url)),
  ).toString(),
);
const NEVER = Number.MAX_SAFE_INTEGER;
const CALL_TRACER: TracerChoice = { kind: "named", name: "callTracer" };
/** A block of a few transactions. */
const BLOCK = 33;

function byBlock(list: readonly RecordedTrace[]): ReadonlyMap<number, RecordedTrace[]> {
  const blocks = new Map<number, RecordedTrace[]>();
  for (const trace of list) blocks.set(trace.block, [...(blocks.get(trace.block) ?? []), trace]);
  return blocks;
}

describe("traces of the recorded chain", () => {
  let recorded: RecordedChain;
  let replay: BlockReplay;
  /** What a tracer shows of the transactions of a block, or of one. */
  function trace(
    block: Block,
    tracer: TracerChoice,
    { index, now = () => NEVER }: { index?: number; now?: () => number } = {},
  ): readonly object[] {
    const { work, block: begun } = replay.plan(block, { tracer, timeoutMs: 1 }, index);
    const machine = { now, limits: {}, engine: () => expect.fail("there is no script") };
    return [...runWork(work, begun, machine)].map((outcome) =>
      "value" in outcome ? { result: JSON.parse(joinText(outcome.value)) } : outcome,
    );
  }
  const blockOf = (number: number) => recorded.chain.block(BigInt(number)) as Block;

  beforeAll(async () => {
    recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    const last = Math.max(...traces.map(({ block }) => block));
    for (const block of recordedBlocks("all-types")) {
      if (block.header.number > last) break;
      // Headers are checked elsewhere.
      await recorded.execute(block);
    }
    await recorded.chain.published();
    replay = new BlockReplay(recorded.chain, recorded.processor);
  }, 60_000);

  it.each(["callTracer", "prestateTracer", "4byteTracer", "bigramTracer", null])(
    "equal the reference node's: %s",
    (name) => {
      const wanted = traces.filter(({ tracer }) => tracer === name);
      expect(wanted.length).toBeGreaterThan(10);
      for (const [number, expected] of byBlock(wanted)) {
        const tracer: TracerChoice =
          name === null ? { kind: "structLog", options: {} } : { kind: "named", name };
        const shown = trace(blockOf(number), tracer);
        for (const { index, result } of expected)
          expect(shown[index], `block ${number}, #${index}`).toEqual({ result });
      }
    },
  );

  it("traces a whole block as it traces its transactions one by one", () => {
    const block = blockOf(BLOCK);
    const single = block.transactions.flatMap((_, index) => trace(block, CALL_TRACER, { index }));
    expect(trace(block, CALL_TRACER)).toEqual(single);
  });

  it("continues after a transaction that timed out", () => {
    const block = blockOf(BLOCK);
    const whole = trace(block, CALL_TRACER);
    const steps = trace(block, { kind: "named", name: "opcountTracer" }) as { result: number }[];
    const late = steps.findIndex(({ result }) => result > 0);
    let asked = 0;
    const shown = trace(block, CALL_TRACER, { now: () => (asked++ === late ? -1 : NEVER) });
    expect(shown[late]).toEqual({ error: expect.any(EvmTimeout) });
    expect(shown.toSpliced(late, 1)).toEqual(whole.toSpliced(late, 1));
  });

  it("rejects an index out of range, and a block whose parent is unknown", () => {
    const block = blockOf(BLOCK);
    expect(() => replay.before(block, 10_000)).toThrow("out of range");
    const orphan = { ...block, header: { ...block.header, parentHash: new Uint8Array(32) } };
    expect(() => replay.before(orphan, 0)).toThrow("not found");
  });
});
