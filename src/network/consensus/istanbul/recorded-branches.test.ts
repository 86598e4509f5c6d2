import { expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { openRecorded, readFixture, recordedBlocks } from "../testing/recorded-chain.ts";

/** Blocks on each branch: an epoch of votes and staking of the recorded chains fits in. */
const LENGTH = 40;

const open = (name: string) => openRecorded(readFixture(`${name}/genesis.json`).toString());

it.each(["all-types", "forks", "bft4"])(
  "%s: a branch after any block obeys the rules as of that block, while the chain is far ahead",
  async (name) => {
    const { chain, branches, insert } = await open(name);
    const blocks = [...recordedBlocks(name)];
    for (const block of blocks) await insert(block);
    const step = Math.ceil(blocks.length / 6);
    for (let ancestor = 0; ancestor < blocks.length; ancestor += step) {
      const following = blocks.slice(ancestor, ancestor + LENGTH);
      const tip = await branches.openAfter(BigInt(ancestor), async (branch) => {
        for (const block of following) {
          const { changes } = await branch.add(block);
          const { number } = block.header;
          for (const { address } of changes.accounts) {
            const [own, recorded] = [branch.ancestry, chain].map((each) => each.stateAt(number));
            expect(own?.account(address)).toEqual(recorded?.account(address));
          }
        }
        expect(branch.candidates.map(({ block }) => block)).toEqual(following);
        return branch.tip.hash;
      });
      expect(tip).toEqual(blockHash((following.at(-1) as Block).header));
    }
    expect(chain.tip.header.number).toBe(BigInt(blocks.length));
  },
  240_000,
);

it("bft4: a branch with votes that becomes canonical leaves the rules as if its blocks had been inserted singly", async () => {
  const blocks = [...recordedBlocks("bft4")].slice(0, 60);
  const [single, branched] = [await open("bft4"), await open("bft4")];
  for (const block of blocks) await single.insert(block);
  for (const block of blocks.slice(0, 8)) await branched.insert(block);
  const branch = await branched.branches.openAfter(3n, async (side) => {
    for (const block of blocks.slice(3)) await side.add(block);
    return side;
  });
  expect(branched.chain.tip.header.number).toBe(8n);
  expect(branched.extensions.params.votes().size).toBeLessThan(single.extensions.params.votes().size);
  expect(await branched.chain.insertBranch(branch)).toBe(true);
  for (const { extensions, chain } of [branched]) {
    expect(chain.tip.hash).toEqual(single.chain.tip.hash);
    expect(extensions.params.votes()).toEqual(single.extensions.params.votes());
    expect(extensions.params.at(61n)).toEqual(single.extensions.params.at(61n));
    expect(extensions.validators.council(61n)).toEqual(single.extensions.validators.council(61n));
    expect(extensions.staking.at(61n)).toEqual(single.extensions.staking.at(61n));
  }
  branched.store.verify();
}, 120_000);
