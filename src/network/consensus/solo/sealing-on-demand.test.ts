import { describe, expect, it, vi } from "vitest";
import { ChainError } from "../../../ledger/chain/errors.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { setUp, tx } from "./testing/sealed-solo.ts";

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

  it("notifies waiting callers once the block with their transaction is there", async () => {
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
    // The second one can never run, so no block is sealed for it.
    const settled = service.settled(() => false)?.then(() => (seen = chain.head.header.number));
    await runtime.advance(2000);
    await settled;
    expect(seen).toBe(1n);
  });

  it("releases waiting callers with their block, although there is more to seal, which follows by itself", async () => {
    const { pool, runtime, blocks, processor, service } = await setUp({ kind: "manual" });
    for (const nonce of [0, 1]) await pool.add(tx(nonce), { local: true });
    const executable = pool.executable.bind(pool);
    vi.spyOn(pool, "executable").mockImplementationOnce(function* (...args) {
      yield* [...executable(...args)].slice(0, 1);
      return undefined;
    });
    const draft = vi.spyOn(processor, "draft");
    service.setMode({ kind: "onDemand" });
    const settled = service.settled()?.then(() => draft.mock.calls.length);
    await runtime.advance(1);
    expect([await settled, blocks]).toEqual([1, [1, 1]]);
  });

  it("tells waiting callers that the disk accepts no blocks", async () => {
    const { chain, runtime, service } = await setUp({ kind: "onDemand" });
    const error = new ChainError("CLOSED", "no room");
    vi.spyOn(chain, "checkWritable").mockImplementation(() => {
      throw error;
    });
    const outcome = service.settled()?.catch((reason: unknown) => reason);
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
