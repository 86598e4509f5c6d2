import { afterEach, describe, expect, it } from "vitest";
import { BlockProcessor } from "../../ledger/chain/execute/block-processor.ts";
import type { CandidateBlock } from "../../ledger/chain/execute/candidate-block.ts";
import { createEvm } from "../../ledger/evm/engine/create-evm.ts";
import { precompiles } from "../../ledger/evm/precompiles/index.ts";
import { executeBlock } from "../../ledger/execution/block/block.ts";
import { type BlockThreads, BlockTurns } from "../../ledger/execution/jobs/block-executor.ts";
import {
  alice,
  blockOne,
  CONTRACT,
  createWorld,
  made,
  STRANGER,
} from "../../ledger/execution/testing/world.ts";
import { openRecorded, readFixture, recordedBlocks } from "../../network/consensus/testing/recorded-chain.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { overWaits } from "../../platform/runtime/waits.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { createBlockThreads } from "../workers/block-threads.ts";
import { createBlockTurns } from "./block-turns.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Turns of which every transaction goes to a thread, counted. */
function threadedTurns(abort = new AbortController(), sliceMs = 0) {
  const threads = createBlockThreads();
  if (threads === undefined) throw new Error("no thread was built");
  closing.push(() => threads.close());
  const seen = { values: 0, failures: 0, asked: 0 };
  const counted: BlockThreads = {
    async run(...job) {
      seen.asked++;
      const outcomes = await threads.run(...job);
      for (const outcome of outcomes) "value" in outcome ? seen.values++ : seen.failures++;
      return outcomes;
    },
  };
  const { signal } = abort;
  return { turns: new BlockTurns({ slice: new TimeSlice(), threads: counted, sliceMs, signal }), seen };
}

/** What a block comes to, without what differs by nature: how it is staged. */
function effectsOf({ totals, changes, staged }: CandidateBlock) {
  return { totals, changes, root: staged?.root };
}

describe("a block whose transactions are executed in a thread", () => {
  it("has the same receipts, changes and root as one executed synchronously: every type", async () => {
    const recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    const { turns, seen } = threadedTurns();
    const evm = createEvm({ precompiles, now: () => 0 });
    const threaded = new BlockProcessor(recorded.chain, evm, { turns });
    let transactions = 0;
    for (const block of recordedBlocks("all-types")) {
      const own = await recorded.processor.verify(block);
      expect(effectsOf(await threaded.verify(block))).toEqual(effectsOf(own));
      await recorded.chain.insert(own);
      transactions += block.transactions.length;
    }
    expect(seen).toEqual({ asked: transactions, values: transactions, failures: 0 });
    expect(transactions).toBeGreaterThan(100);
  }, 120_000);

  it("sees the effects of earlier transactions executed on the main thread", async () => {
    // Counts its calls in slot 0.
    const code = hexToBytes("0x5f54600101805f5500");
    const calls = [0n, 1n, 2n].map((nonce) => made("SmartContractExecution", { to: CONTRACT, nonce }));
    const own = createWorld({ code });
    await overWaits(executeBlock({ header: blockOne(), transactions: calls }, own, () => {}));
    const other = createWorld({ code });
    const { turns, seen } = threadedTurns();
    const threaded = turns.executor("clients");
    let index = 0;
    const executor: typeof threaded = {
      yieldedMs: 0,
      *apply(...tx) {
        if (index++ === 1) return yield* threaded.apply(...tx);
        return yield* HERE.apply(...tx);
      },
      *yieldIfDue() {},
    };
    await overWaits(executeBlock({ header: blockOne(), transactions: calls }, other, () => {}, executor));
    expect(seen).toMatchObject({ asked: 1, values: 1 });
    expect(other.state.changes()).toEqual(own.state.changes());
    expect(other.state.storage(CONTRACT, new Uint8Array(32)).at(-1)).toBe(3);
  });

  it("keeps nothing of an aborted transaction", async () => {
    const abort = new AbortController();
    const { turns, seen } = threadedTurns(abort, 1);
    // JUMPDEST, PUSH0, JUMP: for ever
    const code = hexToBytes("0x5b5f56");
    const world = { ...createWorld({ code }), computationLimit: undefined };
    const endless = made("SmartContractExecution", { to: CONTRACT, nonce: 0n, gas: 4_000_000_000n });
    const before = world.state.changes();
    const executor = turns.executor("clients");
    const run = overWaits(executor.apply(endless, world));
    abort.abort(new Error("the end"));
    await expect(run).rejects.toThrow("the end");
    expect(seen.values).toBe(0);
    expect(world.state.changes()).toEqual(before);
    expect(world.state.nonce(alice.address)).toBe(0n);
  });

  it("is also aborted between two transactions, with the reason", async () => {
    const abort = new AbortController();
    const turns = new BlockTurns({
      slice: new TimeSlice(),
      threads: undefined,
      sliceMs: 3,
      signal: abort.signal,
    });
    const transfers = endlessTransfers();
    const world = createWorld();
    const run = overWaits(
      executeBlock(
        { header: blockOne(), transactions: transfers },
        world,
        () => {},
        turns.executor("clients"),
      ),
    );
    expect(run).toBeInstanceOf(Promise);
    abort.abort(new Error("the end"));
    await expect(run).rejects.toThrow("the end");
  });
});

describe("the turns of a node", () => {
  it("end with the node, and the block being executed with them", async () => {
    const { turns, stop } = createBlockTurns();
    const block = { header: blockOne(), transactions: endlessTransfers() };
    const run = overWaits(executeBlock(block, createWorld(), () => {}, turns.executor("clients")));
    const ended = expect(run).rejects.toMatchObject({ code: "CLOSED", message: "the node is stopping" });
    await stop();
    await ended;
  });

  it("leave the main thread after 3 ms of one transaction, or after the time chosen", async () => {
    const [own, chosen] = [createBlockTurns(), createBlockTurns({ sliceMs: 0 })];
    closing.push(own.stop, chosen.stop);
    expect([own, chosen].map(({ turns }) => turns.parts.sliceMs)).toEqual([3, 0]);
  });
});

const HERE = new BlockTurns({
  slice: new TimeSlice(),
  threads: undefined,
  sliceMs: 3,
  signal: new AbortController().signal,
}).executor("clients");

/** More than fit into a slice, on any machine. */
function endlessTransfers(): Transaction[] {
  const first = made("ValueTransfer", { to: STRANGER, value: 1n });
  return new Proxy([first], {
    get(target, name) {
      if (name === "length") return Number.POSITIVE_INFINITY;
      if (typeof name !== "string" || !/^\d+$/.test(name)) return Reflect.get(target, name);
      return made("ValueTransfer", { to: STRANGER, value: 1n, nonce: BigInt(name) });
    },
  });
}
