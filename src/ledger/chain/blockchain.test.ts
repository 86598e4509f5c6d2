import { describe, expect, it } from "vitest";
import type { Block } from "../../protocol/block/block.ts";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { concat, EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { senderTransactionHash, transactionHash } from "../../protocol/transaction/hash.ts";
import { recoverSigners, senderOf } from "../../protocol/transaction/signatures/signers.ts";
import { signAsFeePayer, signTransaction } from "../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../protocol/transaction/types.ts";
import { createTransaction } from "../../protocol/transaction/value.ts";
import { createStateStore } from "../state/create-state-store.ts";
import type { StateStore } from "../state/state.ts";
import type { HeadEvent } from "./chain.ts";
import { exportBlocks, readBlocks } from "./import/chain-file.ts";
import { CHAIN_ID, createLedger, genesisOf, streamOf, type TestLedger } from "./testing/ledger.ts";

const KEY = new Uint8Array(32).fill(7);
const SENDER = addressOfPublicKey(publicKeyOf(KEY));
const RECIPIENT = new Uint8Array(20).fill(0x55);
const GENESIS = genesisOf({ [bytesToHex(SENDER)]: 10n ** 20n });

function transfer(nonce: bigint, value = 1n, delegated = false): Transaction {
  const name = delegated ? "TxTypeFeeDelegatedValueTransfer" : "TxTypeValueTransfer";
  const type = transactionTypeByName(name) as TransactionType;
  const parts = { type, nonce, gas: 100_000n, gasPrice: 25_000_000_000n, to: RECIPIENT, value, from: SENDER };
  if (!delegated) return signTransaction(createTransaction(parts), [KEY], CHAIN_ID);
  const signed = signTransaction(createTransaction({ ...parts, feePayer: SENDER }), [KEY], CHAIN_ID);
  return signAsFeePayer(signed, [KEY], CHAIN_ID);
}

const numbersOf = (list: HeadEvent["added"]) => list.map(({ block }) => Number(block.header.number));
const balance = ({ chain }: TestLedger) => chain.latestState().account(RECIPIENT)?.balance ?? 0n;

async function blocksOf(count: number, value = 1n): Promise<Block[]> {
  const ledger = await createLedger(GENESIS);
  return Array.from({ length: count }, (_, nonce) => ledger.add(transfer(BigInt(nonce), value)).block);
}

/** A store whose records reach the disk only when `write` is called. */
async function slowStore(): Promise<{ store: StateStore; write: () => void }> {
  const store = await createStateStore({ engine: "memory" });
  const waiting: (() => void)[] = [];
  const slow: StateStore = Object.create(store, {
    head: { get: () => store.head },
    stageInSteps: {
      *value(changes: Parameters<StateStore["stage"]>[0]) {
        const staged = yield* store.stageInSteps(changes);
        const written = (number: bigint) =>
          number > 0n ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve();
        const slowly: Pick<typeof staged, "commit" | "commitInSteps"> = {
          commit(block, rows) {
            staged.commit(block, rows);
            return { durable: written(block.number) };
          },
          *commitInSteps(block, rows) {
            yield* staged.commitInSteps(block, rows);
            return { durable: written(block.number) };
          },
        };
        return { root: staged.root, isCurrent: true, ...slowly };
      },
    },
  });
  for (const name of [
    "get",
    "range",
    "latest",
    "at",
    "write",
    "rewind",
    "rewindInSteps",
    "stage",
    "close",
  ] as const) {
    Object.defineProperty(slow, name, { value: (store[name] as CallableFunction).bind(store) });
  }
  return { store: slow, write: () => waiting.shift()?.() };
}

describe("a chain", () => {
  it("returns blocks, transactions and receipts, from memory and from the database", async () => {
    const ledger = await createLedger(GENESIS);
    const plain = ledger.add(transfer(0n));
    const delegated = ledger.add(transfer(1n, 1n, true), transfer(2n));
    await ledger.chain.published();
    const reopened = await createLedger(GENESIS, { store: ledger.store });
    for (const { chain } of [ledger, reopened]) {
      expect(chain.head.header).toEqual(delegated.block.header);
      expect(chain.number(plain.hash)).toBe(1n);
      expect(chain.hash(2n)).toEqual(delegated.hash);
      expect(chain.receipts(2n)).toEqual(delegated.receipts);
      const tx = chain.block(2n)?.transactions[0] as Transaction;
      expect(chain.locate(transactionHash(tx))).toEqual({ blockNumber: 2n, index: 0 });
      expect(chain.transactionHashBySender(senderTransactionHash(tx))).toEqual(transactionHash(tx));
      expect(chain.block(3n)).toBeUndefined();
    }
  });

  it("reads a single transaction or receipt of a block, with the recorded sender", async () => {
    const legacy = transactionTypeByName("TxTypeLegacyTransaction") as TransactionType;
    const unnamed = createTransaction({
      ...{ type: legacy, nonce: 2n, gas: 100_000n, gasPrice: 25_000_000_000n },
      ...{ to: RECIPIENT, value: 1n, input: EMPTY_BYTES },
    });
    const signed = signTransaction(unnamed, [KEY], CHAIN_ID);
    const ledger = await createLedger(GENESIS);
    const { receipts } = ledger.add(transfer(0n), transfer(1n, 1n, true), signed);
    await ledger.chain.published();
    const { chain } = await createLedger(GENESIS, { store: ledger.store });
    const place = { blockNumber: 1n, index: 2 };
    const tx = chain.transaction(place) as Transaction;
    expect(transactionHash(tx)).toEqual(transactionHash(signed));
    // another chain id would fail a recovery: the sender is the recorded one, not recovered
    expect(senderOf(tx, CHAIN_ID + 1n)).toEqual(SENDER);
    expect(() => recoverSigners(tx, CHAIN_ID + 1n)).toThrow("invalid chain id for signer");
    expect(chain.receipt(place)).toEqual({
      receipt: receipts[2],
      firstLogIndex: 0,
      cumulativeGasUsed: receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    });
    const beyond = { blockNumber: 1n, index: 3 };
    const nowhere = { blockNumber: 2n, index: 0 };
    for (const absent of [beyond, nowhere]) expect(chain.receipt(absent)).toBeUndefined();
    for (const absent of [beyond, nowhere]) expect(chain.transaction(absent)).toBeUndefined();
    expect(chain.block(1n)?.transactions.map((each) => senderOf(each, CHAIN_ID))).toEqual([
      SENDER,
      SENDER,
      SENDER,
    ]);
  });

  it("builds on a block that is not on disk yet, but shows it only once it is", async () => {
    const { store, write } = await slowStore();
    const ledger = await createLedger(GENESIS, { store });
    const events: number[][] = [];
    ledger.chain.onHead(({ added }) => events.push(numbersOf(added)));
    const first = ledger.add(transfer(0n));
    ledger.add(transfer(1n));
    expect([ledger.chain.tip.header.number, ledger.chain.head.header.number]).toEqual([2n, 0n]);
    expect(ledger.chain.number(first.hash)).toBeUndefined();
    expect(balance(ledger)).toBe(0n);
    write();
    await ledger.chain.published(1);
    expect([ledger.chain.number(first.hash), balance(ledger), events]).toEqual([1n, 1n, [[1]]]);
    write();
    await ledger.chain.published();
    expect([balance(ledger), events]).toEqual([2n, [[1], [2]]]);
  });

  it("rewinds to an older block", async () => {
    const ledger = await createLedger(GENESIS);
    const hashes = [0n, 1n, 2n].map((nonce) => ledger.add(transfer(nonce)));
    const events: HeadEvent[] = [];
    await ledger.chain.published();
    ledger.chain.onHead((event) => events.push(event));
    await ledger.chain.rewind(1n);
    ledger.chain.announceRewind();
    expect(ledger.chain.head.header.number).toBe(1n);
    expect(ledger.chain.block(2n)).toBeUndefined();
    expect(
      ledger.chain.locate(transactionHash(hashes[1]?.block.transactions[0] as Transaction)),
    ).toBeUndefined();
    expect([balance(ledger), numbersOf(events[0]?.removed ?? [])]).toEqual([1n, [3, 2]]);
    ledger.add(transfer(1n, 5n));
    await ledger.chain.published();
    expect(balance(ledger)).toBe(6n);
    await expect(ledger.chain.rewind(9n)).rejects.toMatchObject({ code: "OUT_OF_RANGE" });
  });

  it("yields between the blocks that it rewinds, and removes none until it has read them all", async () => {
    const ledger = await createLedger(GENESIS);
    for (const nonce of [0n, 1n, 2n]) ledger.add(transfer(nonce));
    await ledger.chain.published();
    const heads: bigint[] = [];
    const yieldTurn = async () => void heads.push(ledger.chain.head.header.number);
    await ledger.chain.rewind(0n, { isDue: () => true, yield: yieldTurn });
    // three blocks are read, their rows made, what they changed looked up, and the state hashed
    expect(heads.length).toBeGreaterThan(9);
    expect(new Set(heads)).toEqual(new Set([3n]));
    expect([ledger.chain.head.header.number, balance(ledger)]).toEqual([0n, 0n]);
    const gone = { isDue: () => true, yield: () => Promise.reject(new Error("gone")) };
    ledger.add(transfer(0n));
    await expect(ledger.chain.rewind(0n, gone)).rejects.toThrow("gone");
    expect(ledger.chain.head.header.number).toBe(1n);
  });
});

describe("an import", () => {
  it("imports an exported chain and skips known blocks", async () => {
    const source = await createLedger(GENESIS);
    for (let nonce = 0n; nonce < 5n; nonce++) source.add(transfer(nonce));
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

describe("a database", () => {
  it("accepts no other genesis", async () => {
    const { store } = await createLedger(GENESIS);
    const other = genesisOf({ [bytesToHex(SENDER)]: 1n });
    await expect(createLedger(other, { store })).rejects.toThrow(
      /^database already contains an incompatible genesis block \(have [0-9a-f]{16}, new [0-9a-f]{16}\)$/,
    );
    await expect(createLedger(GENESIS, { store })).resolves.toBeDefined();
  });
});

async function* streamOfBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
