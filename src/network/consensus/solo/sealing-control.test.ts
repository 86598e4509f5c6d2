import { describe, expect, it, vi } from "vitest";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { SealingService } from "./sealing-service.ts";
import { setUp, tx } from "./testing/sealed-solo.ts";

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
    await expect(sealed).rejects.toThrow(/^the node is stopping: \d+ of 100000 blocks were sealed$/);
    expect(chain.head.header.number).toBeLessThan(100n);
  });
});
