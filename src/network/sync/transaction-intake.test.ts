import { expect, it } from "vitest";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { blobTransaction } from "../../node/testing/blobs.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { KnownHashes } from "./known-hashes.ts";
import { TransactionIntake } from "./transaction-intake.ts";

const of = (seed: number, count: number) =>
  Array.from({ length: count }, (_, nonce) => transfer(wallet(seed), { nonce: BigInt(nonce) }, 1n));

/** An intake, and the batches that its pool gets; the pool finishes one when `open` is called. */
function intake(included: readonly Transaction[] = [], damaged: readonly Transaction[] = []) {
  const runtime = createSimulatedRuntime();
  const given: (readonly Transaction[])[] = [];
  const open: (() => void)[] = [];
  const addAll = (some: readonly Transaction[]) => {
    given.push(some);
    return new Promise<[]>((resolve) => void open.push(() => resolve([])));
  };
  const keys = new Set(included.map(transactionKey));
  const unreadable = new Set(damaged.map(transactionKey));
  const made = new TransactionIntake({
    ...{ pool: { addAll }, timers: runtime.timers, logger: silentLogger },
    isIncluded(key) {
      if (unreadable.has(key)) throw new Error("a row does not match its checksum");
      return keys.has(key);
    },
  });
  const step = async () => {
    open.shift()?.();
    await runtime.advance(1);
  };
  const peer = () => ({ isOver: false, knownTransactions: new KnownHashes(1_000) }) as unknown as ChainPeer;
  return { made, given, step, peers: [peer(), peer(), peer()] as [ChainPeer, ChainPeer, ChainPeer] };
}

it("adds transactions of several peers together, in equal shares and in order", async () => {
  const { made, given, step, peers } = intake();
  const [first, second, third] = [of(1, 100), of(2, 10), of(3, 30)] as const;
  const over: number[] = [];
  for (const [i, transactions] of [first, second, third].entries())
    void made.take(peers[i] as ChainPeer, transactions).then(() => over.push(i));
  for (let i = 0; i < 3; i++) await step();
  expect(given.map(({ length }) => length)).toEqual([64, 64, 12]);
  const from = (transactions: readonly Transaction[]) =>
    given.flat().filter((tx) => transactions.includes(tx));
  expect(given[0]?.filter((tx) => third.includes(tx))).toHaveLength(22);
  expect([from(first), from(second), from(third)]).toEqual([first, second, third]);
  await step();
  expect(over).toEqual([1, 2, 0]);
});

it("records what a peer has, and does not add transactions of recent blocks to the pool", async () => {
  const some = of(1, 3);
  const { made, given, step, peers } = intake(some.slice(0, 1));
  const taken = made.take(peers[0], some);
  await step();
  await step();
  await taken;
  expect(given).toEqual([some.slice(1)]);
  expect(some.every((tx) => peers[0].knownTransactions.has(transactionKey(tx)))).toBe(true);
});

it("continues after a failure", async () => {
  const [unreadable, fine] = [of(1, 1), of(2, 2)];
  const { made, given, step, peers } = intake([], unreadable);
  const failed = made.take(peers[0], unreadable);
  await step();
  await failed;
  const taken = made.take(peers[1], fine);
  await step();
  await step();
  await taken;
  expect(given).toEqual([fine]);
});

it("drops the transactions of a disconnected peer, and continues with the others", async () => {
  const { made, given, step, peers } = intake();
  const rest = made.take(peers[0], of(1, 200));
  await step();
  Object.assign(peers[0], { isOver: true });
  const taken = made.take(peers[1], of(2, 2));
  await step();
  await step();
  await Promise.all([rest, taken]);
  expect(given.map(({ length }) => length)).toEqual([64, 2]);
});

it("does not delay transactions behind blob transactions of others", async () => {
  const { made, given, step, peers } = intake();
  const blob = blobTransaction({ privateKey: new Uint8Array(32).fill(1), chainId: 1n });
  void made.take(peers[0], [blob]);
  void made.take(peers[1], of(2, 2));
  await step();
  expect(given.map(({ length }) => length)).toEqual([1, 2]);
});
