import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { BlockTurns } from "../../execution/jobs/block-executor.ts";
import { balanceChange } from "../../state/testing/model.ts";
import { transfer, wallet } from "../../txpool/testing/transactions.ts";
import { CHAIN_ID, createLedger, genesisOf, type TestLedger } from "../testing/ledger.ts";
import type { CandidateBlock } from "./candidate-block.ts";

const SENDER = wallet(0);
const RECIPIENT = new Uint8Array(20).fill(0x77);
const tx = (value: bigint, nonce = 0n) => transfer(SENDER, { nonce, value }, CHAIN_ID);

const open = () => createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }));

function draft({ consensus, chain, processor }: TestLedger, ...candidates: Transaction[]): CandidateBlock {
  const header = consensus.prepare(chain.tip.header, 0);
  return processor.draft({ header, author: ZERO_ADDRESS, candidates, now: () => 0 }) as CandidateBlock;
}

const balance = ({ chain }: TestLedger) => chain.store.latest().account(RECIPIENT)?.balance;

describe("candidates on one parent", () => {
  it("coexist until one becomes the tip", async () => {
    const ledger = await open();
    const [first, second, third] = [1n, 2n, 3n].map((value) => draft(ledger, tx(value))) as [
      CandidateBlock,
      CandidateBlock,
      CandidateBlock,
    ];
    expect(balance(ledger)).toBeUndefined();
    const inserted = await ledger.chain.insert(second);
    expect(inserted.hash).toEqual(blockHash(second.block.header));
    expect(balance(ledger)).toBe(2n);
    for (const late of [first, third]) {
      await expect(ledger.chain.insert(late)).rejects.toThrowError(
        expect.objectContaining({ code: "UNKNOWN_ANCESTOR" }),
      );
    }
    expect(ledger.chain.store.latest().root).toEqual(second.block.header.stateRoot);
    ledger.chain.store.verify();
  });

  it("can be inserted after the chain has moved on and been rewound to their parent", async () => {
    const ledger = await open();
    const [first, second] = [draft(ledger, tx(1n)), draft(ledger, tx(2n))];
    await ledger.chain.insert(first);
    await ledger.chain.exclusive(() => ledger.chain.rewind(0n));
    await ledger.chain.insert(second);
    expect(balance(ledger)).toBe(2n);
    ledger.chain.store.verify();
  });

  it("are rejected if the state of their parent was edited", async () => {
    const ledger = await open();
    const late = draft(ledger, tx(1n));
    const edit = { accounts: [balanceChange(1, 5n)], codes: [] };
    await ledger.chain.exclusive(() => ledger.chain.amend(edit));
    await expect(ledger.chain.insert(late)).rejects.toThrowError(
      expect.objectContaining({ code: "STALE_CANDIDATE" }),
    );
    expect(ledger.chain.tip.header.number).toBe(0n);
  });
});

it("holds no lock while its engine decides: other blocks can be imported", async () => {
  const [ledger, other] = [await open(), await open()];
  const waiting = draft(ledger, tx(1n));
  await ledger.importer.import((await other.add(tx(7n))).block);
  expect(balance(ledger)).toBe(7n);
  expect(waiting.block.header.number).toBe(1n);
  await expect(ledger.chain.insert(waiting)).rejects.toThrowError("unknown ancestor");
});

/** A time slice that is always used up. */
function constantTurns() {
  const abort = new AbortController();
  let given = 0;
  let endAt = Number.POSITIVE_INFINITY;
  class ConstantSlice extends TimeSlice {
    override isDue = () => true;
    override async yield(): Promise<void> {
      if (++given === endAt) abort.abort(new Error("the end"));
    }
  }
  const parts = { slice: new ConstantSlice(), threads: undefined, sliceMs: 3, signal: abort.signal };
  return {
    turns: new BlockTurns(parts),
    given: () => given,
    endAt(turn: number): void {
      endAt = turn;
    },
  };
}

describe("a candidate built in time slices", () => {
  const openInTurns = async () => {
    const sliced = constantTurns();
    const ledger = await createLedger(genesisOf({ [SENDER.key]: 10n ** 20n }), { turns: sliced.turns });
    return { ledger, sliced };
  };

  it("yields between transactions, roots and state, with the same result", async () => {
    const own = draft(await open(), tx(1n), tx(1n, 1n));
    const { ledger, sliced } = await openInTurns();
    const made = await draft(ledger, tx(1n), tx(1n, 1n));
    expect(sliced.given()).toBeGreaterThanOrEqual(6);
    expect(blockHash(made.block.header)).toEqual(blockHash(own.block.header));
    const other = await openInTurns();
    const verified = await other.ledger.processor.verify(made.block);
    expect(other.sliced.given()).toBeGreaterThanOrEqual(5);
    await other.ledger.chain.insert(verified);
    expect(balance(other.ledger)).toBe(2n);
  });

  it("can be aborted at any yield, without a trace", async () => {
    for (let turn = 1; ; turn++) {
      const { ledger, sliced } = await openInTurns();
      sliced.endAt(turn);
      const made = await Promise.resolve(draft(ledger, tx(1n), tx(1n, 1n))).catch((error: Error) => error);
      if (!(made instanceof Error)) {
        expect(turn).toBeGreaterThan(6);
        return;
      }
      expect(made.message).toBe("the end");
      expect(ledger.chain.tip.header.number).toBe(0n);
      expect(balance(ledger)).toBeUndefined();
    }
  });
});

it("is written in time slices; readers see the chain without it until it is complete", async () => {
  const ledger = await open();
  const { chain } = ledger;
  const transfers = Array.from({ length: 600 }, (_, nonce) => tx(1n, BigInt(nonce)));
  const candidate = draft(ledger, ...transfers);
  const place = { blockNumber: 1n, index: 599 };
  const seen: unknown[] = [];
  const look = () => seen.push([chain.tip.header.number, balance(ledger), chain.transactionHashAt(place)]);
  const pace = { isDue: () => true, yield: async () => void look() };
  const { hash } = await chain.insert(candidate, pace);
  expect(seen.length).toBeGreaterThanOrEqual(3);
  for (const before of seen) expect(before).toEqual([0n, undefined, undefined]);
  expect(chain.tip.hash).toBe(hash);
  await chain.published();
  expect(balance(ledger)).toBe(600n);
  expect(chain.transactionHashAt(place)).toEqual(transactionHash(transfers[599] as Transaction));
});
