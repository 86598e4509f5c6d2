import { describe, expect, it, vi } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { createStateStore } from "../../state/create-state-store.ts";
import { balanceChange } from "../../state/testing/model.ts";
import type { HeadEvent } from "../chain.ts";
import { createLedger, genesisOf, streamOf } from "../testing/ledger.ts";
import { balance, blocksOf, GENESIS, numbersOf, SENDER, transfer } from "../testing/transfers.ts";
import { exportBlocks, readBlocks } from "./chain-file.ts";

describe("an import", () => {
  it("imports an exported chain and skips known blocks", async () => {
    const source = await createLedger(GENESIS);
    for (let nonce = 0n; nonce < 5n; nonce++) await source.add(transfer(nonce));
    await source.chain.published();
    const file = concat(...exportBlocks(source.chain, 0n, 5n));
    const target = await createLedger(GENESIS);
    await target.importer.importAll(
      streamOf(source.chain.block(1n) ? [source.chain.block(1n) as Block] : []),
    );
    const progress = await target.importer.importAll(readBlocks(streamOfBytes(file)));
    expect(progress).toEqual({ imported: 4, skipped: 1, transactions: 4, number: 5n });
    expect(target.chain.head.hash).toEqual(source.chain.head.hash);
    expect(concat(...exportBlocks(target.chain, 0n, 5n))).toEqual(file);
  });

  it.each([
    ["stateRoot", { stateRoot: new Uint8Array(32) }, "invalid merkle root (remote: 0000"],
    ["gasUsed", { gasUsed: 1n }, "invalid gas used (remote: 1 local: 21000)"],
    ["receiptsRoot", { receiptsRoot: new Uint8Array(32) }, "invalid receipt root hash (remote: 0000"],
    ["transactionsRoot", { transactionsRoot: new Uint8Array(32) }, "transaction root hash mismatch: have "],
    ["bloom", { bloom: new Uint8Array(256).fill(1) }, "invalid bloom (remote: 0101"],
    ["gasPrice", { baseFee: 26_000_000_000n }, "invalid GasPrice: txHash "],
  ])("names the block and field of an invalid %s", async (field, change, text) => {
    const [block] = await blocksOf(1);
    const ledger = await createLedger(GENESIS);
    const bad = { ...(block as Block), header: { ...(block as Block).header, ...change } };
    const failure = await ledger.importer.importAll(streamOf([bad])).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "BAD_BLOCK", details: { field, number: 1n } });
    expect((failure as Error).message.startsWith(text)).toBe(true);
    expect(ledger.importer.badBlocks.list()).toMatchObject([{ block: bad }]);
    await ledger.importer.importAll(streamOf([block as Block]));
    expect(ledger.chain.head.header.number).toBe(1n);
  });

  it("passes headers to consensus ahead, 32 at a time, once their parent is the tip", async () => {
    const blocks = await blocksOf(70);
    const { chain, consensus, importer } = await createLedger(GENESIS);
    const passed: bigint[][] = [];
    consensus.verifyAhead = (headers) => {
      expect(headers[0]?.number).toBe(chain.tip.header.number + 1n);
      passed.push(headers.map(({ number }) => number));
    };
    await importer.importAll(streamOf(blocks));
    expect(passed.map(({ length }) => length)).toEqual([32, 32, 6]);
    expect(passed.flat()).toEqual(blocks.map(({ header }) => header.number));
  });

  it("names the transaction that is invalid in its block", async () => {
    const [block] = await blocksOf(1);
    const ledger = await createLedger(genesisOf({ [bytesToHex(SENDER)]: 5n }));
    const parentHash = ledger.chain.genesisHash;
    const moved = { ...(block as Block), header: { ...(block as Block).header, parentHash } };
    await expect(ledger.importer.import(moved)).rejects.toMatchObject({
      message: "insufficient balance of the fee payer to pay for gas",
      details: {
        index: 0,
        transactionHash: bytesToHex(transactionHash(moved.transactions[0] as Transaction)),
      },
    });
  });

  it("rejects a block whose parent is unknown", async () => {
    const [, second] = await blocksOf(2);
    const { importer } = await createLedger(GENESIS);
    await expect(importer.import(second as Block)).rejects.toMatchObject({
      code: "UNKNOWN_ANCESTOR",
      details: { number: second?.header.number, field: "parentHash" },
    });
  });
});

describe("a side branch", () => {
  it("replaces a shorter one, and reports the removed blocks", async () => {
    const ledger = await createLedger(GENESIS);
    await ledger.importer.importAll(streamOf(await blocksOf(2)));
    const events: [number[], number[]][] = [];
    ledger.chain.onHead(({ added, removed }) => events.push([numbersOf(added), numbersOf(removed)]));
    const branch = await blocksOf(3, 10n);
    expect(await ledger.importer.importBranch(branch.slice(0, 2))).toBe(false);
    expect(await ledger.importer.importBranch(branch)).toBe(true);
    await ledger.chain.published();
    expect(balance(ledger)).toBe(30n);
    expect(events[0]?.[1]).toEqual([2, 1]);
    expect(events.flatMap(([added]) => added)).toEqual([1, 2, 3]);
  });

  it("in a file is adopted once it is longer, even if only with the next file", async () => {
    const ledger = await createLedger(GENESIS);
    const before = await blocksOf(2);
    await ledger.importer.importAll(streamOf(before));
    const branch = await blocksOf(4, 10n);
    const beside = await ledger.importer.importAll(streamOf(branch.slice(0, 2)));
    expect(beside).toMatchObject({ imported: 0, number: 2n });
    expect(ledger.chain.head.header).toEqual(before[1]?.header);
    const longer = await ledger.importer.importAll(streamOf(branch.slice(2)));
    expect(longer).toMatchObject({ imported: 4, number: 4n });
    expect(ledger.chain.head.header).toEqual(branch[3]?.header);
    expect(balance(ledger)).toBe(40n);
  });

  it("is judged by itself beside the branches of other imports", async () => {
    const ledger = await createLedger(GENESIS);
    const { chain, importer } = ledger;
    await importer.importAll(streamOf(await blocksOf(2)));
    const [shorter, longest, same] = [await blocksOf(3, 10n), await blocksOf(5, 20n), await blocksOf(5, 20n)];
    await Promise.all([shorter, longest, same].map((branch) => importer.importAll(steps(branch))));
    expect(chain.head.header).toEqual(longest[4]?.header);
    expect(importer.badBlocks.list()).toEqual([]);
  });

  it("waits for its next blocks if the chain grows while it is executed", async () => {
    const ledger = await createLedger(GENESIS);
    const { chain, importer, branches } = ledger;
    await importer.importAll(streamOf(await blocksOf(1)));
    const opened = vi.spyOn(branches, "openAfter");
    opened.mockImplementationOnce((number, use) =>
      branches.openAfter(number, async (side) => {
        await ledger.add(transfer(1n));
        return use(side);
      }),
    );
    const branch = await blocksOf(3, 10n);
    expect(await importer.importAll(streamOf(branch))).toMatchObject({ imported: 3, number: 3n });
    expect(chain.head.header).toEqual(branch[2]?.header);
  });

  it("that is no branch is no bad block: one is missing in it, or its parent is unknown", async () => {
    const ledger = await createLedger(GENESIS);
    await ledger.importer.importAll(streamOf(await blocksOf(1)));
    const [first, , third, fourth] = (await blocksOf(4, 10n)) as [Block, Block, Block, Block];
    for (const branch of [[first, third, fourth], [third, fourth], [third]])
      await expect(ledger.importer.importBranch(branch)).rejects.toMatchObject({ code: "UNKNOWN_ANCESTOR" });
    expect(ledger.importer.badBlocks.list()).toEqual([]);
  });

  it("is executed anew if the chain is edited meanwhile, and is no bad block if it is pruned away", async () => {
    const store = await createStateStore({ engine: "memory", recentBlocks: 4 });
    const ledger = await createLedger(GENESIS, { store });
    const { chain, importer, branches } = ledger;
    await importer.importAll(streamOf(await blocksOf(2)));
    const branch = await blocksOf(3, 10n);
    const edit = { accounts: [balanceChange(1, 5n)], codes: [] };
    const opened = vi.spyOn(branches, "openAfter");
    const imported = importer.importBranch(branch);
    await vi.waitFor(() => expect(opened).toHaveBeenCalled(), 15_000);
    await chain.exclusive(async () => void (await chain.amend(edit)));
    expect(await imported).toBe(true);
    const later = await blocksOf(12, 20n);
    opened.mockImplementationOnce((number, use) =>
      branches.openAfter(number, async (side) => {
        for (let i = 0n; i < 8n; i++) await ledger.add(transfer(3n + i));
        return use(side);
      }),
    );
    await expect(importer.importBranch(later)).rejects.toMatchObject({ code: "STATE_PRUNED" });
    expect(importer.badBlocks.list()).toEqual([]);
  });

  it("is dropped in favour of the current chain if one of its blocks is invalid", async () => {
    const ledger = await createLedger(GENESIS);
    const before = await blocksOf(2);
    await ledger.importer.importAll(streamOf(before));
    const branch = await blocksOf(3, 10n);
    const third = branch[2] as Block;
    const wrong = [...branch.slice(0, 2), { ...third, header: { ...third.header, gasUsed: 1n } }];
    const events: HeadEvent[] = [];
    ledger.chain.onHead((event) => events.push(event));
    await expect(ledger.importer.importBranch(wrong)).rejects.toMatchObject({
      details: { field: "gasUsed" },
    });
    expect(ledger.chain.head.header).toEqual(before[1]?.header);
    expect(balance(ledger)).toBe(2n);
    expect(events).toEqual([]);
  });
});

async function* streamOfBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Blocks one at a time, with other work in between. */
async function* steps(blocks: readonly Block[]): AsyncGenerator<Block> {
  for (const block of blocks) {
    yield block;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
