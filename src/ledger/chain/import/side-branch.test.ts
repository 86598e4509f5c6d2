import { describe, expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { createLedger, genesisOf } from "../testing/ledger.ts";
import { SideBranch } from "./side-branch.ts";

async function blocksOf(count: number): Promise<Block[]> {
  const ledger = await createLedger(genesisOf({}));
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) blocks.push((await ledger.add()).block);
  return blocks;
}

describe("a side branch", () => {
  it("is extended only by a child of its newest block", async () => {
    const [first, second, third] = (await blocksOf(3)) as [Block, Block, Block];
    const branch = new SideBranch();
    expect(branch.isContinuedBy(first)).toBe(false);
    branch.add(first);
    expect([branch.isContinuedBy(second), branch.isContinuedBy(third)]).toEqual([true, false]);
    expect(branch.take()).toEqual([first]);
    expect(branch.isContinuedBy(second)).toBe(false);
  });

  it("is dropped when it grows too long, with an error that states the limit", async () => {
    const [first, second, third] = (await blocksOf(3)) as [Block, Block, Block];
    const branch = new SideBranch({ blocks: 2, transactions: 10 });
    branch.add(first);
    branch.add(second);
    expect(() => branch.add(third)).toThrow(
      "side branch from block 1 is too long: block 3 still does not make it longer than the chain, and at most 2 blocks or 10 transactions wait",
    );
    expect(branch.take()).toEqual([]);
  });
});
