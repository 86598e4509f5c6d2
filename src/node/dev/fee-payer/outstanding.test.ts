import { expect, it } from "vitest";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { MissingState } from "../../../ledger/state/missing-state.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { Outstanding } from "./outstanding.ts";

const sender = wallet(0);
const [first, second] = [transfer(sender, { nonce: 0n }, 1n), transfer(sender, { nonce: 1n }, 1n)];

/** A chain whose contents the test sets. */
function chainOf() {
  const state = {
    included: [] as Hash[],
    nonce: 0n,
    generation: 0,
    isMissing: false,
    listeners: new Set<() => void>(),
  };
  const chain = {
    exclusive: async (task: () => Promise<void>) => task(),
    get generation() {
      return state.generation;
    },
    locate: (hash: Hash) => state.included.find((each) => equalBytes(each, hash)),
    onHead(listener: () => void) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    latestState: () => ({
      account() {
        if (state.isMissing) throw new MissingState("an account", async () => {});
        return { nonce: state.nonce };
      },
    }),
  };
  const head = (change: Partial<typeof state> = {}): void => {
    Object.assign(state, change);
    for (const listener of [...state.listeners]) listener();
  };
  return { state, chain: chain as unknown as Blockchain, head };
}

/** The value of a promise, or that it is still pending. */
async function soFar<T>(promise: Promise<T>): Promise<T | "waits"> {
  await new Promise((resolve) => setImmediate(resolve));
  return Promise.race([promise, Promise.resolve("waits" as const)]);
}

it("ends with its block, however late, or with another transaction of the same nonce", async () => {
  const { state, chain, head } = chainOf();
  const outstanding = new Outstanding(chain, async () => expect.fail("asked for"));
  const ends = [first, second].map((tx) => outstanding.until(tx, sender.address));
  head();
  head({ isMissing: true });
  expect(await Promise.all(ends.map(soFar))).toEqual(["waits", "waits"]);
  head({ isMissing: false, included: [transactionHash(second)], nonce: 0n });
  expect(await Promise.all(ends.map(soFar))).toEqual(["waits", true]);
  head({ nonce: 1n });
  expect(await Promise.all(ends.map(soFar))).toEqual([false, true]);
  expect(state.listeners.size).toBe(0);
  expect(await outstanding.until(second, sender.address)).toBe(true);
});

it("ends with a revert or a reset, unless the pool has it again", async () => {
  const { chain, head } = chainOf();
  const outstanding = new Outstanding(chain, async (hash) => equalBytes(hash, transactionHash(second)));
  const ends = [first, second].map((tx) => outstanding.until(tx, sender.address));
  head({ generation: 1 });
  expect(await Promise.all(ends.map(soFar))).toEqual([false, "waits"]);
  head({ included: [transactionHash(second)] });
  expect(await Promise.all(ends.map(soFar))).toEqual([false, true]);
});

it("is full at one thousand", () => {
  const outstanding = new Outstanding(chainOf().chain, async () => true);
  for (let i = 0; i < 999; i++) outstanding.enter();
  expect(outstanding.isFull).toBe(false);
  const leave = outstanding.enter();
  expect(outstanding.isFull).toBe(true);
  leave();
  expect(outstanding.isFull).toBe(false);
});
