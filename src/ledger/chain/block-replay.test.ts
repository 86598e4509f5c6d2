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
import { EvmTimeout } from "../evm/evm.ts";
import { tracerNamed } from "../evm/tracers/predefined.ts";
import { structLogger } from "../evm/tracers/struct-logger.ts";
import { BlockReplay } from "./block-replay.ts";

interface RecordedTrace {
  readonly block: number;
  readonly index: number;
  readonly tracer: string | null;
  readonly result: unknown;
}

const traces: RecordedTrace[] = JSON.parse(
  gunzipSync(
    readFileSync(new URL("../../../test/fixtures/traces/all-types.json.gz", import.meta.url)),
  ).toString(),
);
const NEVER = Number.MAX_SAFE_INTEGER;
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
  const blockOf = (number: number) => recorded.chain.block(BigInt(number)) as Block;

  beforeAll(async () => {
    recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    const last = Math.max(...traces.map(({ block }) => block));
    for (const block of recordedBlocks("all-types")) {
      if (block.header.number > last) break;
      // Headers are checked elsewhere.
      const { totals, staged } = recorded.processor.verify(block);
      recorded.chain.commit(staged, { block, hash: blockHash(block.header), receipts: totals.receipts });
    }
    await recorded.chain.published();
    replay = new BlockReplay(recorded.chain, recorded.processor);
  }, 60_000);

  it.each(["callTracer", "prestateTracer", "4byteTracer", "bigramTracer", null])(
    "equal the reference's: %s",
    (name) => {
      const wanted = traces.filter(({ tracer }) => tracer === name);
      expect(wanted.length).toBeGreaterThan(10);
      for (const [number, expected] of byBlock(wanted)) {
        const factory = name === null ? structLogger({}) : tracerNamed(name);
        const shown = [...replay.traceAll(blockOf(number), factory, () => NEVER)];
        for (const { index, result } of expected)
          expect(shown[index], `block ${number}, #${index}`).toHaveProperty("result", result);
      }
    },
  );

  it("traces a whole block as it traces its transactions one by one", () => {
    const block = blockOf(BLOCK);
    const factory = tracerNamed("callTracer");
    const whole = [...replay.traceAll(block, factory, () => NEVER)].map(
      (trace) => "result" in trace && trace.result,
    );
    expect(whole).toEqual(block.transactions.map((_, index) => replay.trace(block, index, factory, NEVER)));
  });

  it("goes on behind a transaction whose tracer gave up", () => {
    const block = blockOf(BLOCK);
    const failing = () => ({
      hooks: {
        enter() {
          throw new EvmTimeout("EVM_TIMEOUT", "execution timed out");
        },
      },
      result: () => null,
    });
    let asked = 0;
    const factory: typeof failing = (...given: unknown[]) =>
      asked++ === 0
        ? failing()
        : (tracerNamed("callTracer") as never as (...all: unknown[]) => never)(...given);
    const [first, ...rest] = [...replay.traceAll(block, factory, () => NEVER)];
    expect(first).toHaveProperty("error", expect.any(EvmTimeout));
    expect(rest[0]).toEqual({
      hash: expect.any(Uint8Array),
      result: replay.trace(block, 1, tracerNamed("callTracer"), NEVER),
    });
  });

  it("refuses a transaction that is not there, and a block whose parent is not", () => {
    const block = blockOf(BLOCK);
    expect(() => replay.before(block, 10_000)).toThrow("out of range");
    const orphan = { ...block, header: { ...block.header, parentHash: new Uint8Array(32) } };
    expect(() => replay.before(orphan, 0)).toThrow("not found");
  });
});
