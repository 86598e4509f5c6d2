import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { BlockTurns } from "../../execution/jobs/block-executor.ts";
import type { Amendment } from "../../state/state.ts";
import { balanceChange } from "../../state/testing/model.ts";
import { createLedger, streamOf } from "../testing/ledger.ts";
import { balance, blocksOf, GENESIS, transfer } from "../testing/transfers.ts";

/** A chain whose blocks wait before each transaction until the function that `held` resolves to is called. */
async function setUp() {
  const waiting: (() => void)[] = [];
  const run = () => new Promise<[]>((resolve) => waiting.push(() => resolve([])));
  const { signal } = new AbortController();
  const turns = new BlockTurns({ slice: new TimeSlice(), threads: { run }, sliceMs: 0, signal });
  const ledger = await createLedger(GENESIS, { turns });
  const held = () =>
    vi.waitFor(() => waiting.shift() ?? expect.fail("nothing is held"), { timeout: 15_000, interval: 1 });
  /** Lets everything continue until some work is done. */
  const openUntil = async <T>(work: Promise<T>): Promise<T> => {
    const opening = setInterval(() => waiting.shift()?.(), 1);
    return work.finally(() => clearInterval(opening));
  };
  return { ...ledger, held, openUntil };
}

describe("a block that is executed while the chain changes", () => {
  it("holds no lock, and is executed anew on the state that it finds then", async () => {
    const { chain, importer, held } = await setUp();
    const [block] = await blocksOf(1);
    const edit = () => chain.exclusive(() => chain.amend({ accounts: [balanceChange(1, 5n)], codes: [] }));
    const imported = importer.import(block as Block);
    const open = await held();
    const edited: Amendment = await edit();
    await edited.undo().durable;
    open();
    (await held())();
    await imported;
    expect([chain.tip.header.number, importer.badBlocks.list()]).toEqual([1n, []]);
    chain.store.verify();
  });

  it("is judged by the state that was edited meanwhile", async () => {
    const { chain, importer, held } = await setUp();
    const [block] = await blocksOf(1);
    const imported = importer.import(block as Block);
    const open = await held();
    await chain.exclusive(() => chain.amend({ accounts: [balanceChange(1, 5n)], codes: [] }));
    open();
    (await held())();
    await expect(imported).rejects.toMatchObject({ code: "BAD_BLOCK", details: { field: "stateRoot" } });
    expect(chain.tip.header.number).toBe(0n);
  });

  it("is refused, and not as a bad block, if another took its place", async () => {
    const { chain, importer, held, openUntil, add, ...ledger } = await setUp();
    const [block] = await blocksOf(1);
    const imported = importer.import(block as Block);
    const open = await held();
    const { hash } = await openUntil(add(transfer(0n, 9n)));
    open();
    await expect(imported).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
    expect([chain.tip.hash, importer.badBlocks.list()]).toEqual([hash, []]);
    expect(balance({ chain, importer, add, ...ledger })).toBe(9n);
  });

  it("begins a side branch of its import if another took its place, and is skipped if that was the same", async () => {
    const { chain, importer, held, openUntil, add } = await setUp();
    const [block, next, third] = (await blocksOf(3)) as [Block, Block, Block];
    const imported = importer.importAll(streamOf([block]));
    const open = await held();
    const { hash } = await openUntil(add(transfer(0n, 9n)));
    open();
    expect(await openUntil(imported)).toMatchObject({ imported: 0, skipped: 0 });
    expect(chain.tip.hash).toEqual(hash);
    expect(await openUntil(importer.importAll(streamOf([next])))).toMatchObject({ imported: 2 });
    const twice = [1, 2].map(() => importer.importAll(streamOf([third])));
    const ended = await openUntil(Promise.all(twice));
    expect(ended.map((each) => [each.imported, each.skipped]).sort()).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect([chain.tip.header, importer.badBlocks.list()]).toEqual([third.header, []]);
  });
});
