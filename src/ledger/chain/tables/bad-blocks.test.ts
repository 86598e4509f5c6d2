import { describe, expect, it } from "vitest";
import { blockHash } from "../../../protocol/block/hash.ts";
import { emptyHeader } from "../../../protocol/block/testing/header.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import { BadBlocks } from "./bad-blocks.ts";

function badBlock(number: number, reason = "wrong") {
  const header = { ...emptyHeader(), number: BigInt(number) };
  return { hash: blockHash(header), block: { header, transactions: [] }, reason };
}

const numbers = (blocks: BadBlocks) => blocks.list().map(({ block }) => Number(block.header.number));

describe("bad blocks", () => {
  it("survive a restart, each once, the highest number first", async () => {
    const store = await createStateStore({ engine: "memory" });
    const before = new BadBlocks(store);
    for (const number of [2, 9, 5, 9]) before.add(badBlock(number, `wrong in ${number}`));
    expect(numbers(before)).toEqual([9, 5, 2]);
    const after = new BadBlocks(store);
    expect(numbers(after)).toEqual([9, 5, 2]);
    const [{ hash, block, reason }] = after.list() as [ReturnType<typeof badBlock>];
    expect({ hash, block, reason }).toEqual(badBlock(9, "wrong in 9"));
  });

  it("are evicted by newer ones", async () => {
    const store = await createStateStore({ engine: "memory" });
    const blocks = new BadBlocks(store);
    for (let number = 1; number <= 130; number++) blocks.add(badBlock(number));
    expect(numbers(blocks)).toEqual(Array.from({ length: 100 }, (_, i) => 130 - i));
    expect(numbers(new BadBlocks(store))).toEqual(numbers(blocks));
  });

  it("take no more than 64 MiB, but one is always kept", async () => {
    const store = { range: () => [], write: async () => {} };
    const blocks = new BadBlocks(store);
    const large = (number: number, mebibytes: number) => {
      const extra = new Uint8Array(mebibytes << 20);
      const header = { ...emptyHeader(), number: BigInt(number), extra };
      return { hash: new Uint8Array(32).fill(number), block: { header, transactions: [] }, reason: "" };
    };
    for (let number = 1; number <= 5; number++) blocks.add(large(number, 15));
    expect(numbers(blocks)).toEqual([5, 4, 3, 2]);
    blocks.add(large(6, 65));
    expect(numbers(blocks)).toEqual([6]);
  });
});
