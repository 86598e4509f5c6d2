import { describe, expect, it, vi } from "vitest";
import type { HeadEvent } from "../../../ledger/chain/chain.ts";
import { ChainError } from "../../../ledger/chain/errors.ts";
import { CHAIN_ID, createLedger, genesisOf } from "../../../ledger/chain/testing/ledger.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import { type Logger, silentLogger } from "../../../platform/telemetry/logger.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../block-producer.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import { ChainClock } from "./chain-clock.ts";
import type { SealingMode } from "./sealing-mode.ts";
import { SealingService } from "./sealing-service.ts";

const SENDER = wallet(0);
const tx = (nonce: number, value = 1n) => transfer(SENDER, { nonce: BigInt(nonce), value }, CHAIN_ID);

async function setUp(mode: SealingMode, logger: Logger = silentLogger) {
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }));
  const { chain, runtime } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  const clock = new ChainClock(runtime.clock);
  const settings: ProposerSettings = {};
  const common = { runtime, logger };
  const producer = new BlockProducer({ ...ledger, ...common, pool, settings, author: ZERO_ADDRESS });
  const service = new SealingService({ engine: ledger.consensus, clock, ...common }, mode);
  const blocks: number[] = [];
  chain.onHead(({ added }: HeadEvent) => blocks.push(...added.map(({ block }) => block.transactions.length)));
  service.start(producer);
  return { ...ledger, pool, clock, settings, service, blocks };
}

describe("sealing on demand", () => {
  it("puts transactions that arrive together into one block, and seals no empty ones", async () => {
    const { pool, blocks, runtime, chain } = await setUp({ kind: "onDemand" });
    await runtime.advance(5000);
    for (const nonce of [0, 1, 2]) await pool.add(tx(nonce), { local: true });
    await runtime.advance(10);
    await pool.add(tx(3), { local: true });
    await runtime.advance(10);
    expect(blocks).toEqual([3, 1]);
    expect(pool.status()).toEqual({ pending: 0, queued: 0 });
    expect(chain.latestState().account(new Uint8Array(20).fill(0x77))?.balance).toBe(4n);
  });

  it("increases block times by at least a second, ahead of the clock if necessary", async () => {
    const { pool, runtime, chain } = await setUp({ kind: "onDemand" });
    await pool.add(tx(0), { local: true });
    await runtime.advance(1);
    await pool.add(tx(1), { local: true });
    await runtime.advance(1);
    expect([1n, 2n].map((number) => chain.header(number)?.time)).toEqual([1000n, 1001n]);
  });

  it("tells who waits when the block that takes their transaction is there", async () => {
    const { pool, runtime, chain, service } = await setUp({ kind: "onDemand" });
    await runtime.advance(0);
    await service.settled();
    const seen: bigint[] = [];
    const send = async (nonce: number): Promise<void> => {
      await pool.add(tx(nonce), { local: true });
      await service.settled();
      seen.push(chain.head.header.number);
    };
    const [first, second] = [send(0), send(1)];
    await runtime.advance(10);
    await Promise.all([first, second]);
    expect(seen).toEqual([1n, 1n]);
    const queued = send(5);
    await runtime.advance(10);
    await queued;
    expect(seen).toEqual([1n, 1n, 1n]);
    await pool.add(tx(2), { local: true });
    const third = service.settled();
    service.setMode({ kind: "manual" });
    await third;
    expect(chain.head.header.number).toBe(1n);
  });

  it("does not wait for transactions that can never be included", async () => {
    const { pool, runtime, chain, service } = await setUp({ kind: "manual" });
    const half = 6n * 10n ** 19n;
    await pool.add(tx(0, half), { local: true });
    await pool.add(tx(1, half), { local: true });
    service.setMode({ kind: "onDemand" });
    let seen = 0n;
    // The second one can never run, so nothing is made for it.
    const settled = service.settled(() => false).then(() => (seen = chain.head.header.number));
    await runtime.advance(2000);
    await settled;
    expect(seen).toBe(1n);
  });

  it("lets go who waits with their block, though there is more to seal, which follows by itself", async () => {
    const { pool, runtime, blocks, processor, service } = await setUp({ kind: "manual" });
    for (const nonce of [0, 1]) await pool.add(tx(nonce), { local: true });
    const executable = pool.executable.bind(pool);
    vi.spyOn(pool, "executable").mockImplementationOnce(function* (...args) {
      yield* [...executable(...args)].slice(0, 1);
      return undefined;
    });
    const draft = vi.spyOn(processor, "draft");
    service.setMode({ kind: "onDemand" });
    const settled = service.settled().then(() => draft.mock.calls.length);
    await runtime.advance(1);
    expect([await settled, blocks]).toEqual([1, [1, 1]]);
  });

  it("tells who waits that the disk takes no blocks", async () => {
    const { chain, runtime, service } = await setUp({ kind: "onDemand" });
    const error = new ChainError("CLOSED", "no room");
    vi.spyOn(chain, "checkWritable").mockImplementation(() => {
      throw error;
    });
    const outcome = service.settled().catch((reason: unknown) => reason);
    await runtime.advance(0);
    expect(await outcome).toBe(error);
  });

  it("waits briefly for the senders of the last block, and never for a single one", async () => {
    const { pool, runtime, blocks } = await setUp({ kind: "onDemand" });
    for (const nonce of [0, 1, 2, 3]) await pool.add(tx(nonce), { local: true });
    await runtime.advance(10);
    await pool.add(tx(4), { local: true });
    await runtime.advance(0);
    expect(blocks).toEqual([4]);
    for (const nonce of [5, 6, 7]) await pool.add(tx(nonce), { local: true });
    await runtime.advance(1);
    await pool.add(tx(8), { local: true });
    await runtime.advance(1);
    expect(blocks).toEqual([4, 4, 1]);
    await pool.add(tx(9), { local: true });
    await runtime.advance(0);
    expect(blocks).toEqual([4, 4, 1, 1]);
  });

  it("retries after a block failed", async () => {
    const { pool, runtime, blocks, processor, service } = await setUp({ kind: "onDemand" });
    const draft = vi.spyOn(processor, "draft").mockImplementationOnce(() => {
      throw new Error("no state");
    });
    await pool.add(tx(0), { local: true });
    await runtime.advance(10);
    expect([blocks, draft.mock.calls.length]).toEqual([[], 1]);
    expect(service.failure).toEqual(new Error("no state"));
    await runtime.advance(1000);
    expect(blocks).toEqual([1]);
    expect(service.failure).toBeUndefined();
  });

  it("logs failures until a block is sealed, those of the disk without a stack", async () => {
    const [warn, error] = [vi.fn(), vi.fn()];
    const { pool, runtime, chain, service } = await setUp(
      { kind: "onDemand" },
      { ...silentLogger, warn, error },
    );
    const [odd, closed] = [new TypeError("odd"), new ChainError("CLOSED", "no room")];
    vi.spyOn(chain, "insert").mockRejectedValueOnce(odd).mockRejectedValueOnce(closed);
    await pool.add(tx(0), { local: true });
    await runtime.advance(999);
    expect([error.mock.calls, warn.mock.calls]).toEqual([[["sealing failed", { error: odd }]], []]);
    await runtime.advance(1);
    expect(error).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls).toEqual([["no block was sealed", { reason: "no room" }]]);
    expect(service.failure).toBe(closed);
    await service.sealNow();
    expect(service.failure).toBeUndefined();
  });

  it("does not busy-loop over a transaction that is not executable now", async () => {
    const { pool, runtime, blocks, service } = await setUp({ kind: "manual" });
    const half = 6n * 10n ** 19n;
    await pool.add(tx(0, half), { local: true });
    await pool.add(tx(1, half), { local: true });
    service.setMode({ kind: "onDemand" });
    await runtime.advance(1000);
    expect(blocks).toEqual([1]);
    expect(runtime.scheduled).toBe(0);
  });
});

describe("sealing by interval", () => {
  it.each([-3_600_000, -30_000, 3_600_000])(
    "keeps its pace when the clock is set by %i ms, and block times never go back",
    async (step) => {
      const { blocks, runtime, chain } = await setUp({ kind: "interval", intervalMs: 1000 });
      await runtime.advance(5000);
      runtime.setClock(step);
      await runtime.advance(10_000);
      expect(blocks).toHaveLength(15);
      const times = blocks.map((_, i) => chain.header(BigInt(i + 1))?.time ?? 0n);
      for (const [i, time] of times.entries()) expect(time).toBeGreaterThan(times[i - 1] ?? 0n);
    },
  );

  it("seals empty blocks too, at regular times", async () => {
    const { pool, blocks, runtime, chain } = await setUp({ kind: "interval", intervalMs: 2000 });
    await runtime.advance(2000);
    await pool.add(tx(0), { local: true });
    await runtime.advance(4000);
    expect(blocks).toEqual([0, 1, 0]);
    expect([1n, 2n, 3n].map((number) => chain.header(number)?.time)).toEqual([1002n, 1004n, 1006n]);
  });
});

describe("sealing by interval and on demand", () => {
  it("does not keep transactions waiting, and counts the interval from the last block", async () => {
    const { pool, blocks, runtime } = await setUp({ kind: "interval", intervalMs: 2000, onDemand: true });
    await runtime.advance(2000);
    expect(blocks).toEqual([0]);
    await runtime.advance(500);
    await pool.add(tx(0), { local: true });
    await runtime.advance(0);
    expect(blocks).toEqual([0, 1]);
    await runtime.advance(1999);
    expect(blocks).toEqual([0, 1]);
    await runtime.advance(1);
    expect(blocks).toEqual([0, 1, 0]);
  });

  it("notifies callers when their transaction is in a block, and releases others", async () => {
    const { pool, blocks, runtime, service } = await setUp({
      kind: "interval",
      intervalMs: 2000,
      onDemand: true,
    });
    await pool.add(tx(1), { local: true });
    await service.settled(() => false);
    await pool.add(tx(0), { local: true });
    const settled = service.settled(() => false).then(() => blocks.length);
    await runtime.advance(0);
    expect([await settled, blocks]).toEqual([1, [2]]);
  });
});

describe("manual sealing", () => {
  it("waits for `mine`, whose first block takes the pending transactions", async () => {
    const { pool, blocks, runtime, service } = await setUp({ kind: "manual" });
    await pool.add(tx(0), { local: true });
    await runtime.advance(9000);
    expect(blocks).toEqual([]);
    const last = await service.sealNow(3);
    expect(last?.block.header.number).toBe(3n);
    expect(blocks).toEqual([1, 0, 0]);
  });

  it("goes on with empty blocks before they are on disk, and not with transactions, which the pool would give again", async () => {
    const { pool, service, chain } = await setUp({ kind: "manual" });
    let written = () => {};
    const onDisk = new Promise<void>((resolve) => (written = resolve));
    vi.spyOn(chain, "published").mockImplementation(async (backlog = 0) => {
      if (backlog === 0) await onDisk;
    });
    const empty = service.sealNow(3);
    await expect.poll(() => chain.tip.header.number).toBe(3n);
    await pool.add(tx(0), { local: true });
    const sealed = service.sealNow(2);
    await expect.poll(() => chain.tip.header.number).toBe(4n);
    await new Promise(setImmediate);
    expect(chain.tip.header.number).toBe(4n);
    written();
    expect([(await empty)?.block.header.number, (await sealed)?.block.header.number]).toEqual([3n, 5n]);
  });

  it("spaces blocks as requested", async () => {
    const { service, chain } = await setUp({ kind: "manual" });
    await service.sealNow(3, 60);
    expect([1n, 2n, 3n].map((number) => chain.header(number)?.time)).toEqual([1000n, 1060n, 1120n]);
  });

  it("spaces all blocks evenly until the clock decides again", async () => {
    const { service, chain, clock } = await setUp({ kind: "manual" });
    clock.setInterval(30n);
    await service.sealNow(2);
    const { setting } = clock;
    clock.reset();
    await service.sealNow();
    clock.restore(setting);
    await service.sealNow();
    expect([1n, 2n, 3n, 4n].map((number) => chain.header(number)?.time)).toEqual([30n, 60n, 1000n, 1030n]);
  });

  it("follows changes of the clock", async () => {
    const { service, chain, clock } = await setUp({ kind: "manual" });
    clock.advance(3_600_000);
    await service.sealNow();
    expect(chain.head.header.time).toBe(4600n);
    clock.setNext(10_000n, chain.head.header);
    await service.sealNow(2);
    expect([2n, 3n].map((number) => chain.header(number)?.time)).toEqual([10_000n, 10_001n]);
    expect(() => clock.setNext(10_001n, chain.head.header)).toThrow("is not after that of the latest block");
  });
});

describe("an operator", () => {
  it("pauses and resumes sealing", async () => {
    const { pool, blocks, runtime, service } = await setUp({
      kind: "interval",
      intervalMs: 1000,
      onDemand: true,
    });
    await runtime.advance(1000);
    await service.pause();
    await pool.add(tx(0), { local: true });
    await runtime.advance(5000);
    expect(blocks).toEqual([0]);
    expect(runtime.scheduled).toBe(0);
    service.resume();
    await runtime.advance(0);
    expect(blocks).toEqual([0, 1]);
  });

  it("can still seal single blocks, and ends the pause with a new mode", async () => {
    const { pool, blocks, runtime, service } = await setUp({ kind: "onDemand" });
    await service.pause();
    await service.sealNow();
    await pool.add(tx(0), { local: true });
    expect(service.isPaused).toBe(true);
    service.setMode({ kind: "onDemand" });
    await runtime.advance(0);
    expect(blocks).toEqual([0, 1]);
  });

  it("pauses once a block asked for is on disk", async () => {
    const { service, chain } = await setUp({ kind: "onDemand" });
    let written = () => {};
    const onDisk = new Promise<void>((resolve) => (written = resolve));
    vi.spyOn(chain, "published").mockReturnValue(onDisk);
    const sealed = service.sealNow();
    await expect.poll(() => chain.tip.header.number).toBe(1n);
    const seen: string[] = [];
    const paused = service.pause().then(() => seen.push("paused"));
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    written();
    await Promise.all([paused, sealed]);
  });

  it("keeps cheap transactions out until the minimum price falls", async () => {
    const { pool, blocks, runtime, service, settings } = await setUp({ kind: "onDemand" });
    settings.lowestGasPrice = 10n ** 15n;
    await pool.add(tx(0), { local: true });
    await runtime.advance(5000);
    expect(blocks).toEqual([]);
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
    settings.lowestGasPrice = undefined;
    service.wake();
    await runtime.advance(0);
    expect(blocks).toEqual([1]);
  });
});

describe("stopping", () => {
  it("waits for the block that is being made", async () => {
    const { pool, runtime, service, chain } = await setUp({ kind: "onDemand" });
    const insert = chain.insert.bind(chain);
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const inserting = vi.spyOn(chain, "insert").mockImplementationOnce(async (candidate) => {
      await opened;
      return insert(candidate);
    });
    await pool.add(tx(0), { local: true });
    await runtime.advance(0);
    await expect.poll(() => inserting.mock.calls.length).toBe(1);
    const stopped = service.stop().then(() => chain.head.header.number);
    await new Promise(setImmediate);
    open();
    expect(await stopped).toBe(1n);
  });

  it("waits for a requested block, which is then published", async () => {
    const { service, chain, blocks } = await setUp({ kind: "manual" });
    const insert = chain.insert.bind(chain);
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const inserting = vi.spyOn(chain, "insert").mockImplementationOnce(async (candidate) => {
      await opened;
      return insert(candidate);
    });
    const sealed = service.sealNow();
    await expect.poll(() => inserting.mock.calls.length).toBe(1);
    const seen: number[][] = [];
    const stopped = service.stop().then(() => seen.push([...blocks]));
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    open();
    await stopped;
    expect(seen).toEqual([[0]]);
    expect((await sealed)?.block.header.number).toBe(1n);
    await expect(service.sealNow()).rejects.toMatchObject({ code: "STOPPED" });
  });

  it("is not possible before the start", async () => {
    const { consensus: engine, clock, runtime } = await setUp({ kind: "manual" });
    const service = new SealingService({ engine, clock, runtime, logger: silentLogger }, { kind: "manual" });
    await service.stop();
    await expect(service.sealNow()).rejects.toMatchObject({
      ...{ code: "STOPPED", message: "the node does not seal blocks yet" },
    });
  });

  it("ends every timer and can be repeated", async () => {
    const { service, runtime, blocks } = await setUp({ kind: "interval", intervalMs: 1000 });
    await runtime.advance(1000);
    await service.stop();
    await service.stop();
    expect(runtime.scheduled).toBe(0);
    await runtime.advance(5000);
    expect(blocks).toEqual([0]);
  });

  it("interrupts a long run of blocks, and reports its progress", async () => {
    const { service, chain } = await setUp({ kind: "manual" });
    const sealed = service.sealNow(100_000);
    chain.onHead(({ added }) => {
      if (added.at(-1)?.block.header.number === 3n) void service.stop();
    });
    await expect(sealed).rejects.toThrow(/^the node is stopping: \d+ of 100000 blocks were made$/);
    expect(chain.head.header.number).toBeLessThan(100n);
  });
});
