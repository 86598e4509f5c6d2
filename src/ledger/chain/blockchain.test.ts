import { describe, expect, it } from "vitest";
import { EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { senderTransactionHash, transactionHash } from "../../protocol/transaction/hash.ts";
import { recoverSigners, senderOf } from "../../protocol/transaction/signatures/signers.ts";
import { signTransaction } from "../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { transactionTypeByName } from "../../protocol/transaction/type-table.ts";
import type { TransactionType } from "../../protocol/transaction/types.ts";
import { createTransaction } from "../../protocol/transaction/value.ts";
import type { ExecutedBlock, HeadEvent } from "./chain.ts";
import { CHAIN_ID, createLedger, genesisOf } from "./testing/ledger.ts";
import { slowStore } from "./testing/slow-store.ts";
import { balance, GENESIS, KEY, numbersOf, RECIPIENT, SENDER, transfer } from "./testing/transfers.ts";

describe("a chain", () => {
  it("returns blocks, transactions and receipts, from memory and from the database", async () => {
    const ledger = await createLedger(GENESIS);
    const plain = await ledger.add(transfer(0n));
    const delegated = await ledger.add(transfer(1n, 1n, true), transfer(2n));
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
    const { receipts } = await ledger.add(transfer(0n), transfer(1n, 1n, true), signed);
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
    const first = await ledger.add(transfer(0n));
    await ledger.add(transfer(1n));
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
    const hashes: ExecutedBlock[] = [];
    for (const nonce of [0n, 1n, 2n]) hashes.push(await ledger.add(transfer(nonce)));
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
    await ledger.add(transfer(1n, 5n));
    await ledger.chain.published();
    expect(balance(ledger)).toBe(6n);
    await expect(ledger.chain.rewind(9n)).rejects.toMatchObject({ code: "OUT_OF_RANGE" });
  });

  it("yields between the blocks that it rewinds, and removes none until it has read them all", async () => {
    const ledger = await createLedger(GENESIS);
    for (const nonce of [0n, 1n, 2n]) await ledger.add(transfer(nonce));
    await ledger.chain.published();
    const heads: bigint[] = [];
    const yieldTurn = async () => void heads.push(ledger.chain.head.header.number);
    await ledger.chain.rewind(0n, { isDue: () => true, yield: yieldTurn });
    // three blocks are read, their rows made, what they changed looked up, and the state hashed
    expect(heads.length).toBeGreaterThan(9);
    expect(new Set(heads)).toEqual(new Set([3n]));
    expect([ledger.chain.head.header.number, balance(ledger)]).toEqual([0n, 0n]);
    const gone = { isDue: () => true, yield: () => Promise.reject(new Error("gone")) };
    await ledger.add(transfer(0n));
    await expect(ledger.chain.rewind(0n, gone)).rejects.toThrow("gone");
    expect(ledger.chain.head.header.number).toBe(1n);
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
