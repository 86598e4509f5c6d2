import { beforeEach, describe, expect, it } from "vitest";
import { decodeBlock, encodeBlock } from "../../protocol/block/block-codec.ts";
import { ZERO_ADDRESS } from "../../protocol/primitives/bytes.ts";
import { createInlineRecovery, type SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { knownSigners, senderOf } from "../../protocol/transaction/signatures/signers.ts";
import { withSignatures } from "../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { createStateStore } from "../state/create-state-store.ts";
import type { StateStore } from "../state/state.ts";
import { transfer, wallet } from "../txpool/testing/transactions.ts";
import type { ExecutedBlock } from "./chain.ts";
import { mergeSent } from "./deferred-senders.ts";
import type { DraftBlock } from "./execute/candidate-block.ts";
import { verifyChain } from "./import/verify-chain.ts";
import { SENDERS, SENT, type SentPosition, UNATTRIBUTED } from "./tables/block-rows.ts";
import { CHAIN_ID, createLedger, genesisOf, type TestLedger } from "./testing/ledger.ts";
import { slowStore } from "./testing/slow-store.ts";

const [ANN, BEN] = [wallet(1), wallet(2)];
const GENESIS = genesisOf({ [ANN.key]: 10n ** 20n, [BEN.key]: 10n ** 20n });
const legacy = (from: typeof ANN, nonce: bigint) =>
  transfer(from, { nonce, input: new Uint8Array(0) }, CHAIN_ID, "TxTypeLegacyTransaction");
const ALL = { from: 0n, to: 1_000n };

/** Recovery that waits for `go`. */
class SlowRecovery implements SenderRecovery {
  readonly #inline = createInlineRecovery(CHAIN_ID);
  #go = (): void => {};
  #gate = new Promise<void>((resolve) => {
    this.#go = resolve;
  });

  async recover(transactions: readonly Transaction[]): Promise<void> {
    await this.#gate;
    await this.#inline.recover(transactions);
  }

  go(): void {
    this.#go();
  }
}

describe("a block whose senders are recovered later", () => {
  let recovery: SlowRecovery;
  let store: StateStore;
  let ledger: TestLedger;

  beforeEach(async () => {
    recovery = new SlowRecovery();
    store = await createStateStore({ engine: "memory" });
    ledger = await createLedger(GENESIS, { store, recovery });
  });

  /** Commits transactions as decoded from the wire: their signers are unknown. */
  async function addLate(
    transactions: readonly Transaction[],
    change = (all: Transaction[]) => all,
  ): Promise<ExecutedBlock> {
    const { consensus, processor, chain } = ledger;
    const header = consensus.prepare(chain.tip.header, 0);
    const plan = { header, author: ZERO_ADDRESS, candidates: transactions, now: () => 0 };
    const draft = processor.draft(plan) as DraftBlock;
    const { transactions: fresh } = decodeBlock(encodeBlock(draft.block));
    const block = { ...draft.block, transactions: change([...fresh]) };
    return chain.insert({ ...draft, block, isUnattributed: true });
  }

  const rowsOf = (table: string) => [...store.range(table, new Uint8Array(1), new Uint8Array(28).fill(0xff))];
  const sentBy = (address: Uint8Array, nonces = {}) =>
    [...ledger.chain.sent(address, { ...ALL, ...nonces })].map(
      ({ blockNumber, index }) => `${blockNumber}:${index}`,
    );

  it("is published before they are recovered, and has the same rows as any other afterwards", async () => {
    await addLate([legacy(ANN, 0n), transfer(BEN, { nonce: 0n }, CHAIN_ID)]);
    await ledger.chain.published();
    expect(ledger.chain.head.header.number).toBe(1n);
    expect(rowsOf(SENT)).toHaveLength(0);
    const done = ledger.chain.attributed(1n);
    recovery.go();
    await done;
    const usual = await createLedger(GENESIS);
    await usual.add(legacy(ANN, 0n), transfer(BEN, { nonce: 0n }, CHAIN_ID));
    const theirs = (table: string) => [
      ...usual.store.range(table, new Uint8Array(1), new Uint8Array(28).fill(0xff)),
    ];
    expect(rowsOf(UNATTRIBUTED)).toEqual([]);
    for (const table of [SENDERS, SENT]) expect(rowsOf(table)).toEqual(theirs(table));
  });

  it("recovers senders on request in the meantime", async () => {
    await addLate([legacy(ANN, 0n), legacy(BEN, 0n), legacy(ANN, 1n)]);
    await ledger.chain.published();
    const { transactions } = ledger.chain.block(1n) ?? { transactions: [] };
    expect(knownSigners(transactions[0] as Transaction, CHAIN_ID)).toBeUndefined();
    expect(transactions.map((tx) => senderOf(tx, CHAIN_ID))).toEqual([ANN, BEN, ANN].map((w) => w.address));
    expect(sentBy(ANN.address)).toEqual(["1:0", "1:2"]);
    expect(sentBy(ANN.address, { newestFirst: true })).toEqual(["1:2", "1:0"]);
    expect(sentBy(BEN.address, { from: 0n, to: 1n })).toEqual(["1:1"]);
    expect(sentBy(BEN.address, { from: 1n, to: 2n })).toEqual([]);
    expect(rowsOf(SENT)).toHaveLength(0);
    verifyChain({ store, chainId: CHAIN_ID, params: ledger.chain.params });
  });

  it("shows nothing of a block that is not published", async () => {
    const { store: slow, write } = await slowStore();
    ledger = await createLedger(GENESIS, { store: slow, recovery });
    await addLate([legacy(ANN, 0n)]);
    expect(sentBy(ANN.address)).toEqual([]);
    write();
    await ledger.chain.published();
    expect(sentBy(ANN.address)).toEqual(["1:0"]);
  });

  it("delays the rows of the blocks after it", async () => {
    await ledger.add(legacy(ANN, 0n));
    await addLate([legacy(ANN, 1n)]);
    await ledger.add(legacy(ANN, 2n));
    await ledger.add();
    await ledger.chain.published();
    expect(rowsOf(UNATTRIBUTED)).toHaveLength(2);
    expect(sentBy(ANN.address)).toEqual(["1:0", "2:0", "3:0"]);
    expect(sentBy(ANN.address, { newestFirst: true })).toEqual(["3:0", "2:0", "1:0"]);
    recovery.go();
    await ledger.chain.attributed(4n);
    expect(rowsOf(SENT)).toHaveLength(3);
    expect(sentBy(ANN.address)).toEqual(["1:0", "2:0", "3:0"]);
  });

  it.each([
    ["before recovery starts", 0],
    ["while they are recovered", 4],
  ])("leaves no rows behind if it is removed from the chain %s", async (_, turns) => {
    await addLate([legacy(ANN, 0n)]);
    await ledger.chain.published();
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    const rewound = ledger.chain.exclusive(() => ledger.chain.rewind(0n));
    recovery.go(); // the rewind waits for the recovery in progress
    await rewound;
    for (const table of [SENDERS, SENT, UNATTRIBUTED]) expect(rowsOf(table)).toEqual([]);
    expect(sentBy(ANN.address)).toEqual([]);
    await ledger.chain.attributed(1n);
  });

  it("gets its rows even if a rewind and a reorganisation were refused meanwhile", async () => {
    await addLate([legacy(ANN, 0n)]);
    await ledger.chain.published();
    const { chain } = ledger;
    const none = { code: "OUT_OF_RANGE" };
    await expect(chain.exclusive(() => chain.rewind(9n))).rejects.toMatchObject(none);
    const ancestor = { ...chain.tip, header: { ...chain.tip.header, number: 9n } };
    const branch = { ancestor, candidates: [], isCurrent: () => true };
    await expect(chain.insertBranch(branch)).rejects.toMatchObject(none);
    recovery.go();
    await chain.attributed(1n);
    expect(rowsOf(SENT)).toHaveLength(1);
  });

  it("is recovered again after a kill", async () => {
    await addLate([legacy(ANN, 0n)]);
    await ledger.chain.published();
    ledger = await createLedger(GENESIS, { store, recovery: createInlineRecovery(CHAIN_ID) });
    expect(sentBy(ANN.address)).toEqual(["1:0"]);
    await ledger.chain.attributed(1n);
    expect([rowsOf(SENT).length, rowsOf(UNATTRIBUTED).length]).toEqual([1, 0]);
  });

  it("with an invalid signature is reported, indexed under no sender, and can be rewound", async () => {
    recovery.go();
    await addLate([legacy(ANN, 0n), legacy(BEN, 0n)], ([first, second]) => [
      first as Transaction,
      withSignatures(second as Transaction, [{ parity: 0, r: 5n, s: 7n }], CHAIN_ID),
    ]);
    await ledger.chain.published();
    await expect(ledger.chain.attributed(1n)).rejects.toMatchObject({ code: "BAD_BLOCK" });
    await expect(ledger.chain.attributed(7n)).rejects.toThrow("block 1 has an invalid signature");
    await ledger.chain.attributed(0n);
    expect([sentBy(ANN.address), sentBy(BEN.address)]).toEqual([["1:0"], []]);
    await ledger.chain.exclusive(() => ledger.chain.rewind(0n));
    expect(rowsOf(UNATTRIBUTED)).toEqual([]);
    await addLate([legacy(ANN, 0n)]);
    await ledger.chain.published();
    await ledger.chain.attributed(1n);
    expect(sentBy(ANN.address)).toEqual(["1:0"]);
  });
});

describe("positions by sender", () => {
  const positions = (...nonces: bigint[]): SentPosition[] =>
    nonces.map((nonce) => ({ nonce, blockNumber: nonce, index: 0 }));
  const pending = (...nonces: bigint[]): SentPosition[] =>
    nonces.map((nonce) => ({ nonce, blockNumber: 100n + nonce, index: 0 }));

  it("are in nonce order, each once: a pending one takes precedence", () => {
    const up = [...mergeSent(positions(1n, 2n, 4n), pending(0n, 2n, 3n, 9n))];
    expect(up.map(({ blockNumber }) => blockNumber)).toEqual([100n, 1n, 102n, 103n, 4n, 109n]);
    const down = [...mergeSent(positions(4n, 2n, 1n), pending(9n, 3n, 2n, 0n), true)];
    expect(down.map(({ blockNumber }) => blockNumber)).toEqual([109n, 4n, 103n, 102n, 1n, 100n]);
    expect([...mergeSent(positions(1n), [])]).toEqual(positions(1n));
    expect([...mergeSent([], pending(1n))]).toEqual(pending(1n));
  });
});
