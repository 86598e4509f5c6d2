import { describe, expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { createLedger, genesisOf } from "../testing/ledger.ts";
import { SideBranch } from "./side-branch.ts";

async function blocksOf(count: number): Promise<Block[]> {
  const ledger = await createLedger(genesisOf({}));
  return Array.from({ length: count }, () => ledger.add().block);
}

describe("a branch that waits beside the chain", () => {
  it("is continued by the child of its newest block alone", async () => {
    const [first, second, third] = (await blocksOf(3)) as [Block, Block, Block];
    const branch = new SideBranch();
    expect(branch.isContinuedBy(first)).toBe(false);
    branch.add(first);
    expect([branch.isContinuedBy(second), branch.isContinuedBy(third)]).toEqual([true, false]);
    expect(branch.take()).toEqual([first]);
    expect(branch.isContinuedBy(second)).toBe(false);
  });

  it("is dropped when it grows too long, and the error says how long it may be", async () => {
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
