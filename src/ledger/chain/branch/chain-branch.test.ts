import { describe, expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import type { StateChanges } from "../../state/state.ts";
import { balanceChange } from "../../state/testing/model.ts";
import type { HeadEvent } from "../chain.ts";
import { createLedger, streamOf, type TestLedger } from "../testing/ledger.ts";
import { balance, blocksOf, GENESIS, numbersOf, RECIPIENT, transfer } from "../testing/transfers.ts";
import type { ChainBranch } from "./chain-branch.ts";

/** A chain with three blocks, each of which transfers 1 kei. */
async function open(): Promise<TestLedger> {
  const ledger = await createLedger(GENESIS);
  await ledger.importer.importAll(streamOf(await blocksOf(3)));
  return ledger;
}

async function branchOf(
  { branches }: TestLedger,
  ancestor: bigint,
  blocks: readonly Block[],
): Promise<ChainBranch> {
  return branches.openAfter(ancestor, async (branch) => {
    for (const block of blocks) await branch.add(block);
    return branch;
  });
}

const EDIT: StateChanges = { accounts: [balanceChange(1, 5n)], codes: [] };
const STALE = expect.objectContaining({ code: "STALE_CANDIDATE" });

describe("branches", () => {
  it("coexist on the same parent and on different ones, and leave the chain alone", async () => {
    const ledger = await open();
    const { chain, branches } = ledger;
    const [ones, tens, hundreds] = [await blocksOf(5), await blocksOf(4, 10n), await blocksOf(4, 100n)];
    await branches.openAfter(0n, async (first) => {
      for (const block of tens.slice(0, 2)) await first.add(block);
      await branches.openAfter(0n, async (second) => {
        await second.add(hundreds[0] as Block);
        await branches.openAfter(3n, async (third) => {
          await third.add(ones[3] as Block);
          await first.add(tens[2] as Block);
          await second.add(hundreds[1] as Block);
          const seen = [first, second, third].map(({ tipState }) => tipState.account(RECIPIENT)?.balance);
          expect(seen).toEqual([30n, 200n, 4n]);
        });
      });
    });
    expect([chain.tip.header.number, balance(ledger)]).toEqual([3n, 3n]);
    chain.store.verify();
  });

  it("stay valid while the chain advances, and replace it once they are longer", async () => {
    const ledger = await open();
    const { chain } = ledger;
    const tens = await blocksOf(6, 10n);
    const [short, long] = [await branchOf(ledger, 0n, tens.slice(0, 4)), await branchOf(ledger, 0n, tens)];
    await ledger.add(transfer(3n));
    expect(await chain.insertBranch(short)).toBe(false);
    const events: [number[], number[]][] = [];
    chain.onHead(({ added, removed }: HeadEvent) => events.push([numbersOf(added), numbersOf(removed)]));
    expect(await chain.insertBranch(long)).toBe(true);
    await chain.published();
    expect([chain.tip.hash, balance(ledger)]).toEqual([long.tip.hash, 60n]);
    expect(events[0]?.[1]).toEqual([4, 3, 2, 1]);
    expect(events.flatMap(([added]) => added)).toEqual([1, 2, 3, 4, 5, 6]);
    chain.store.verify();
  });

  it("are executed without the chain's lock", async () => {
    const ledger = await open();
    let release = () => {};
    const locked = ledger.chain.exclusive(() => new Promise<void>((resolve) => (release = resolve)));
    const branch = await branchOf(ledger, 1n, (await blocksOf(4)).slice(1));
    expect(branch.tip.header.number).toBe(4n);
    const inserted = ledger.chain.insertBranch(branch);
    expect(ledger.chain.tip.header.number).toBe(3n);
    release();
    await locked;
    expect(await inserted).toBe(true);
  });

  it.each([
    ["was rewound", (ledger: TestLedger) => ledger.chain.rewind(2n)],
    ["was edited", (ledger: TestLedger) => ledger.chain.amend(EDIT)],
  ])("are refused once the chain %s, which stays as it is", async (_, change) => {
    const ledger = await open();
    const { chain } = ledger;
    const branch = await branchOf(ledger, 0n, await blocksOf(5, 10n));
    await chain.exclusive(async () => void (await change(ledger)));
    const { hash } = chain.tip;
    await expect(chain.insertBranch(branch)).rejects.toThrowError(STALE);
    expect(chain.tip.hash).toBe(hash);
    chain.store.verify();
  });

  it("are refused once an edit of the state was undone", async () => {
    const ledger = await open();
    const { chain } = ledger;
    const { undo } = await chain.exclusive(() => chain.amend(EDIT));
    const branch = await branchOf(ledger, 0n, await blocksOf(5, 10n));
    await undo().durable;
    await expect(chain.insertBranch(branch)).rejects.toThrowError(STALE);
  });

  it("begin only after blocks of the chain whose state is kept", async () => {
    const { branches } = await open();
    const refused = (number: bigint, code: string) =>
      expect(branches.openAfter(number, async () => {})).rejects.toMatchObject({ code });
    await refused(4n, "OUT_OF_RANGE");
    await refused(-1n, "OUT_OF_RANGE");
  });
});

describe("a branch", () => {
  it("takes only blocks that follow its tip, and none after one that was refused", async () => {
    const { branches } = await open();
    const [first, second, third] = (await blocksOf(3, 10n)) as [Block, Block, Block];
    await branches.openAfter(0n, async (branch) => {
      await expect(branch.add(second)).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
      await branch.add(first);
      await expect(branch.add(third)).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
      const wrong = { ...second, header: { ...second.header, stateRoot: new Uint8Array(32) } };
      await expect(branch.add(wrong)).rejects.toMatchObject({ details: { field: "stateRoot" } });
      await expect(branch.add(second)).rejects.toMatchObject({ code: "STATE_STALE" });
      expect(branch.candidates).toHaveLength(1);
    });
  });

  it.each([
    ["gasUsed", { gasUsed: 1n }],
    ["transactionsRoot", { transactionsRoot: new Uint8Array(32) }],
  ])("takes no block after one with a wrong %s, and none after it was closed", async (field, change) => {
    const { branches } = await open();
    const [first] = (await blocksOf(1, 10n)) as [Block];
    const wrong = { ...first, header: { ...first.header, ...change } };
    await branches.openAfter(0n, async (branch) => {
      await expect(branch.add(wrong)).rejects.toMatchObject({ details: { field } });
      await expect(branch.add(first)).rejects.toMatchObject({ code: "STATE_STALE" });
    });
    const late = await branches.openAfter(0n, async (branch) => branch);
    await expect(late.add(first)).rejects.toMatchObject({ code: "STATE_STALE" });
  });

  it("ends when the chain is rewound or edited under it", async () => {
    const { chain, branches } = await open();
    const [first, second] = (await blocksOf(2, 10n)) as [Block, Block];
    await branches.openAfter(0n, async (branch) => {
      await branch.add(first);
      await chain.exclusive(() => chain.amend(EDIT));
      await expect(branch.add(second)).rejects.toThrowError(STALE);
      expect(() => branch.tipState.account(new Uint8Array(20).fill(0x33))).toThrowError(STALE);
    });
  });

  it("is built on as well: drafts have the roots that they would have on the chain", async () => {
    const { chain, branches, consensus, processor } = await open();
    const plan = () => {
      const header = consensus.prepare(chain.tip.header, 0);
      return { header, author: ZERO_ADDRESS, candidates: [transfer(3n, 7n)], now: () => 0 };
    };
    const onTip = await processor.draft(plan());
    const onBranch = await branches.openAfter(3n, async (branch) => branch.processor.draft(plan()));
    expect(onBranch.block).toEqual(onTip.block);
    expect([onTip.staged?.isCurrent, onBranch.staged]).toEqual([true, undefined]);
    await chain.insert(onBranch);
    expect(chain.tip.header.number).toBe(4n);
  });

  it("has its own ancestors: its blocks, and those of the chain up to where it begins", async () => {
    const { chain, branches } = await open();
    const [second] = await blocksOf(1, 10n);
    await branches.openAfter(0n, async (branch) => {
      await branch.add(second as Block);
      const { ancestry, tip } = branch;
      expect([0n, 1n, 2n].map((number) => ancestry.hash(number))).toEqual([
        chain.genesisHash,
        tip.hash,
        undefined,
      ]);
      expect(ancestry.header(1n)).toEqual(second?.header);
      const balances = [0n, 1n, 2n].map((number) => ancestry.stateAt(number)?.account(RECIPIENT)?.balance);
      expect(balances).toEqual([undefined, 10n, undefined]);
      const pinned = branch.pinnedTipState();
      const [, third] = await blocksOf(2, 10n);
      await branch.add(third as Block);
      expect([pinned, branch.tipState].map((state) => state.account(RECIPIENT)?.balance)).toEqual([10n, 20n]);
      expect(branch.ancestry.stateAt(1n)?.account(RECIPIENT)?.balance).toBe(10n);
    });
  });
});
