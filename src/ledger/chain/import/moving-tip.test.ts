import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { BlockTurns } from "../../execution/jobs/block-executor.ts";
import type { Amendment } from "../../state/state.ts";
import { balanceChange } from "../../state/testing/model.ts";
import { createLedger } from "../testing/ledger.ts";
import { balance, blocksOf, GENESIS, transfer } from "../testing/transfers.ts";

/** A chain whose blocks wait before each transaction until `open` is called. */
async function setUp() {
  const held: (() => void)[] = [];
  const run = () => new Promise<[]>((resolve) => held.push(() => resolve([])));
  const { signal } = new AbortController();
  const turns = new BlockTurns({ slice: new TimeSlice(), threads: { run }, sliceMs: 0, signal });
  const ledger = await createLedger(GENESIS, { turns });
  const open = () => vi.waitFor(() => (held.shift() ?? expect.fail("nothing is held"))());
  return { ...ledger, open };
}

describe("a block that is executed while the chain changes", () => {
  it("holds no lock, and is executed anew on the state that it finds then", async () => {
    const { chain, importer, open } = await setUp();
    const [block] = await blocksOf(1);
    const edit = () => chain.exclusive(() => chain.amend({ accounts: [balanceChange(1, 5n)], codes: [] }));
    const imported = importer.import(block as Block);
    const edited: Amendment = await edit();
    await edited.undo().durable;
    await open();
    await open();
    await imported;
    expect([chain.tip.header.number, importer.badBlocks.list()]).toEqual([1n, []]);
    chain.store.verify();
  });

  it("is judged by the state that was edited meanwhile", async () => {
    const { chain, importer, open } = await setUp();
    const [block] = await blocksOf(1);
    const imported = importer.import(block as Block);
    await chain.exclusive(() => chain.amend({ accounts: [balanceChange(1, 5n)], codes: [] }));
    await open();
    await open();
    await expect(imported).rejects.toMatchObject({ code: "BAD_BLOCK", details: { field: "stateRoot" } });
    expect(chain.tip.header.number).toBe(0n);
  });

  it("is refused, and not as a bad block, if another took its place", async () => {
    const { chain, importer, open, add, ...ledger } = await setUp();
    const [block] = await blocksOf(1);
    const imported = importer.import(block as Block);
    const other = add(transfer(0n, 9n));
    await open();
    await open();
    const { hash } = await other;
    await expect(imported).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
    expect([chain.tip.hash, importer.badBlocks.list()]).toEqual([hash, []]);
    expect(balance({ chain, importer, add, ...ledger })).toBe(9n);
  });
});
