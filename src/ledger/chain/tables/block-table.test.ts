import { beforeAll, describe, expect, it } from "vitest";
import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import { senderTransactionHash, transactionHash } from "../../../protocol/transaction/hash.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { StateStore } from "../../state/state.ts";
import { transfer as transferFrom, wallet } from "../../txpool/testing/transactions.ts";
import type { ExecutedBlock } from "../chain.ts";
import { CHAIN_ID, createLedger, genesisOf, type TestLedger } from "../testing/ledger.ts";
import { SENDERS, unattributedRow } from "./block-rows.ts";
import { BlockTable } from "./block-table.ts";

const ANN = wallet(1);
const legacy = (nonce: bigint) =>
  transferFrom(ANN, { nonce, input: new Uint8Array(0) }, CHAIN_ID, "TxTypeLegacyTransaction");

let ledger: TestLedger;
let blocks: readonly ExecutedBlock[];
const second = () => blocks[1] as ExecutedBlock;
const transactionOf = (index: number) => second().block.transactions[index] as Transaction;

beforeAll(async () => {
  ledger = await createLedger(genesisOf({ [ANN.key]: 10n ** 20n }));
  blocks = [
    await ledger.add(legacy(0n)),
    await ledger.add(legacy(1n), legacy(2n), legacy(3n)),
    await ledger.add(),
  ];
  await ledger.chain.published();
});

/** A store in which every read fails. */
const unreadable = {
  get: () => expect.unreachable("a row is read"),
  range: () => expect.unreachable("rows are read"),
} as unknown as StateStore;

/** What the caches know of a block. */
function answers(table: BlockTable, number: bigint) {
  const position = { blockNumber: number, index: 1 };
  return {
    header: table.header(number),
    hash: table.hash(number),
    reference: table.reference(number).hash,
    transactions: table.block(number)?.transactions.map(transactionHash),
    receipts: table.receipts(number)?.map(({ gasUsed, status }) => ({ gasUsed, status })),
    transactionHash: table.transactionHashAt(position),
    transaction: transactionHash(table.transaction(position) as Transaction),
    receipt: table.receipt(position),
    executed: table.executed(number)?.hash,
  };
}

describe("the table of blocks", () => {
  it("gives the same from rows, from its caches, and for a block just committed without any read", () => {
    const cold = new BlockTable(ledger.store);
    const fresh = new BlockTable(unreadable);
    fresh.remember(second());
    const expected = answers(fresh, 2n);
    expect(expected.hash).toEqual(second().hash);
    expect(expected.transactions).toEqual(second().block.transactions.map(transactionHash));
    expect(answers(cold, 2n)).toEqual(expected);
    expect(answers(cold, 2n)).toEqual(expected);
  });

  it("reads single transactions and receipts without decoding, and so without caching, the block", () => {
    const table = new BlockTable(ledger.store);
    const position = { blockNumber: 2n, index: 2 };
    expect(transactionHash(table.transaction(position) as Transaction)).toEqual(
      transactionHash(transactionOf(2)),
    );
    expect(table.transactionHashAt(position)).toEqual(transactionHash(transactionOf(2)));
    expect(table.receipt(position)).toEqual(receiptInBlock(2));
    expect(table.transaction({ blockNumber: 2n, index: 3 })).toBeUndefined();
    expect(table.transactionHashAt({ blockNumber: 2n, index: 3 })).toBeUndefined();
    expect(table.transaction({ blockNumber: 3n, index: 0 })).toBeUndefined();
  });

  it("knows nothing of a block that does not exist", () => {
    const table = new BlockTable(ledger.store);
    const found = [table.header(9n), table.hash(9n), table.block(9n), table.receipts(9n), table.executed(9n)];
    expect(found).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(table.receipt({ blockNumber: 9n, index: 0 })).toBeUndefined();
    expect(table.number(new Uint8Array(32))).toBeUndefined();
    expect(table.locate(new Uint8Array(32))).toBeUndefined();
    expect(() => table.reference(9n)).toThrow(
      expect.objectContaining({ code: "GENESIS_MISSING", details: { number: 9n } }),
    );
    expect([table.receipts(3n), table.block(3n)?.transactions]).toEqual([[], []]);
  });

  it("forgets the blocks above a number, or all", () => {
    const empty = { get: () => undefined } as unknown as StateStore;
    const remembered = new BlockTable(empty);
    for (const block of blocks) remembered.remember(block);
    remembered.forgetAbove(1n, 3n);
    expect([1n, 2n, 3n].map((number) => remembered.executed(number)?.hash)).toEqual([
      (blocks[0] as ExecutedBlock).hash,
      undefined,
      undefined,
    ]);
    remembered.forgetAll();
    expect(remembered.executed(1n)).toBeUndefined();
  });

  it("finds transactions by hash and by sender and nonce", () => {
    const table = new BlockTable(ledger.store);
    expect(table.number(second().hash)).toBe(2n);
    expect(table.locate(transactionHash(transactionOf(1)))).toEqual({ blockNumber: 2n, index: 1 });
    expect(table.transactionHashBySender(senderTransactionHash(transactionOf(1)))).toBeUndefined();
    const sent = (from: bigint, to: bigint, newestFirst = false) =>
      [...table.sent(ANN.address, { from, to, newestFirst })].map(
        ({ blockNumber, index, nonce }) => `${nonce}: ${blockNumber}/${index}`,
      );
    expect(sent(0n, 9n)).toEqual(["0: 1/0", "1: 2/0", "2: 2/1", "3: 2/2"]);
    expect(sent(1n, 3n, true)).toEqual(["2: 2/1", "1: 2/0"]);
    expect(sent(3n, 4n)).toEqual(["3: 2/2"]);
    expect(sent(4n, 5n)).toEqual([]);
  });

  it("passes on what it decodes, and attaches the recorded senders instead of recovering them", () => {
    const claimed = [1, 2, 3].map((n) => new Uint8Array(20).fill(n));
    const store = Object.create(ledger.store, {
      get: {
        value: (table: string, key: Uint8Array) =>
          table === SENDERS ? concat(...claimed) : ledger.store.get(table, key),
      },
    }) as StateStore;
    const seen: Address[][] = [];
    const onRead = (all: readonly Transaction[]) => {
      seen.push(all.map((transaction) => senderOf(transaction, CHAIN_ID)));
    };
    new BlockTable(store, onRead).block(2n);
    new BlockTable(store, onRead).transaction({ blockNumber: 2n, index: 1 });
    expect(seen).toEqual([claimed, [claimed[1]]]);
  });

  it("lists the blocks without rows by sender, in order", async () => {
    const table = new BlockTable(ledger.store);
    await ledger.store.write([unattributedRow(3n), unattributedRow(0n), unattributedRow(300n)]);
    expect(table.unattributed()).toEqual([0n, 3n, 300n]);
    expect([2n, 3n].map((number) => table.isUnattributed(number))).toEqual([false, true]);
    await ledger.store.write([0n, 3n, 300n].map((number) => unattributedRow(number, null)));
    expect(table.unattributed()).toEqual([]);
  });

  it("counts what its caches were asked for", () => {
    const table = new BlockTable(ledger.store);
    for (let i = 0; i < 3; i++) table.block(2n);
    expect(table.usage.body).toMatchObject({ hits: 2, misses: 1 });
  });
});

/** The receipt at an index of block 2, decoded with its block. */
function receiptInBlock(index: number) {
  const table = new BlockTable(ledger.store);
  table.receipts(2n);
  return table.receipt({ blockNumber: 2n, index });
}
