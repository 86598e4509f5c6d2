import { describe, expect, it, vi } from "vitest";
import { ChainError } from "../../../ledger/chain/errors.ts";
import { CHAIN_ID, createLedger, genesisOf } from "../../../ledger/chain/testing/ledger.ts";
import { balanceChange } from "../../../ledger/state/testing/model.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { ChainTransactionPool } from "../../../ledger/txpool/transaction-pool.ts";
import { type Logger, silentLogger } from "../../../platform/telemetry/logger.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { createInlineRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import { BlockProducer } from "../block-producer.ts";
import { ChainClock } from "./chain-clock.ts";
import { Sealer } from "./sealer.ts";

const SENDER = wallet(0);
const tx = (nonce: bigint) => transfer(SENDER, { nonce, value: 1n }, CHAIN_ID);
const { signal } = new AbortController();

async function setUp(onSeal: (count: number) => void = () => {}, logger: Logger = silentLogger) {
  const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }));
  const { chain, runtime, consensus } = ledger;
  const recovery = createInlineRecovery(CHAIN_ID);
  const pool = new ChainTransactionPool({ chain, recovery, now: () => runtime.clock.now() });
  const common = { logger, clock: new ChainClock(runtime.clock) };
  const producer = new BlockProducer({ ...ledger, ...common, pool, settings: {}, author: ZERO_ADDRESS });
  let sealed = 0;
  const seal = (block: Block): Block => {
    onSeal(++sealed);
    return block;
  };
  const prepare = (...args: Parameters<typeof consensus.prepare>) => consensus.prepare(...args);
  return { ...ledger, ...common, pool, sealer: new Sealer({ producer, prepare, seal, ...common }) };
}

describe("a sealer", () => {
  it("starts over when the state under its candidate was edited", async () => {
    const edits: Promise<unknown>[] = [];
    const { chain, pool, sealer } = await setUp((count) => {
      if (count > 1) return;
      const edit = { accounts: [balanceChange(1, 5n)], codes: [] };
      edits.push(chain.exclusive(() => chain.amend(edit)));
    });
    await pool.add(tx(0n), { local: true });
    const block = await sealer.seal(false, signal);
    await Promise.all(edits);
    expect(block?.block.transactions).toHaveLength(1);
    expect(chain.store.latest().root).toEqual(block?.block.header.stateRoot);
    chain.store.verify();
  });

  it("seals one block after the other, however many are requested at once", async () => {
    const { pool, sealer } = await setUp();
    await pool.add(tx(0n), { local: true });
    const both = await Promise.all([sealer.seal(true, signal), sealer.seal(true, signal)]);
    expect(both.map((made) => made?.block.header.number)).toEqual([1n, 2n]);
  });

  it("drafts the next block only once the one before is in the chain", async () => {
    const { chain, processor, sealer } = await setUp();
    const drafting = vi.spyOn(processor, "draft");
    const insert = chain.insert.bind(chain);
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const inserting = vi.spyOn(chain, "insert").mockImplementationOnce(async (candidate) => {
      await opened;
      return insert(candidate);
    });
    const both = [sealer.seal(true, signal), sealer.seal(true, signal)];
    await expect.poll(() => inserting.mock.calls.length).toBe(1);
    await new Promise(setImmediate);
    expect(drafting).toHaveBeenCalledTimes(1);
    open();
    await Promise.all(both);
    expect(drafting).toHaveBeenCalledTimes(2);
  });

  it("seals none for a transaction that is not executable, and logs those it seals", async () => {
    const debug = vi.fn();
    const { pool, sealer } = await setUp(undefined, { ...silentLogger, debug });
    expect(await sealer.seal(false, signal)).toBeUndefined();
    await pool.add(tx(0n), { local: true });
    expect((await sealer.seal(false, signal))?.block.transactions).toHaveLength(1);
    expect(debug.mock.calls).toEqual([["sealed block", { number: 1n, transactions: 1 }]]);
  });

  it("abandons a block that fails to be inserted, unless the tip moved, and continues with the next", async () => {
    const { chain, sealer } = await setUp();
    const insert = vi.spyOn(chain, "insert");
    for (const error of [new ChainError("CLOSED", "no room"), new TypeError("odd")]) {
      insert.mockRejectedValueOnce(error);
      await expect(sealer.seal(true, signal)).rejects.toBe(error);
    }
    insert.mockRejectedValueOnce(new ChainError("UNKNOWN_ANCESTOR", "overtaken"));
    expect((await sealer.seal(true, signal))?.block.header.number).toBe(1n);
    expect(insert).toHaveBeenCalledTimes(4);
  });

  it("inserts nothing after it was stopped", async () => {
    const stopped = new AbortController();
    const { chain, processor, sealer } = await setUp(() => stopped.abort());
    const drafting = vi.spyOn(processor, "draft");
    for (let i = 0; i < 2; i++) await expect(sealer.seal(true, stopped.signal)).rejects.toThrow("aborted");
    expect(chain.tip.header.number).toBe(0n);
    expect(drafting).toHaveBeenCalledTimes(1);
  });

  it("consumes a fixed time with the block that used it, not one that was set meanwhile", async () => {
    const { chain, clock, runtime, sealer } = await setUp((count) => {
      if (count === 1) clock.setNext(5000n, chain.tip.header);
    });
    clock.setNext(2000n, chain.tip.header);
    const times = [];
    for (let i = 0; i < 4; i++) {
      times.push((await sealer.seal(true, signal))?.block.header.time);
      if (i === 2) await runtime.advance(10_000);
    }
    // from there the clock goes on
    expect(times).toEqual([2000n, 5000n, 5001n, 5010n]);
  });
});
