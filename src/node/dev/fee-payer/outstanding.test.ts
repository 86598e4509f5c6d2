import { expect, it } from "vitest";
import type { Chain } from "../../../ledger/chain/chain.ts";
import { MissingState } from "../../../ledger/state/missing-state.ts";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { Outstanding } from "./outstanding.ts";

const sender = wallet(0);
const [first, second] = [transfer(sender, { nonce: 0n }, 1n), transfer(sender, { nonce: 1n }, 1n)];

/** A chain whose contents the test sets. */
function chainOf() {
  const state = { included: [] as Hash[], nonce: 0n, isMissing: false, listeners: new Set<() => void>() };
  const chain = {
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
  return { state, chain: chain as unknown as Chain, head };
}

/** The value of a promise, or that it is still pending. */
async function soFar<T>(promise: Promise<T>): Promise<T | "waits"> {
  await new Promise((resolve) => setImmediate(resolve));
  return Promise.race([promise, Promise.resolve("waits" as const)]);
}

it("ends with its block, however late, or with another transaction of the same nonce", async () => {
  const { state, chain, head } = chainOf();
  const outstanding = new Outstanding(chain);
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

it("is full at one thousand", () => {
  const outstanding = new Outstanding(chainOf().chain);
  for (let i = 0; i < 999; i++) outstanding.enter();
  expect(outstanding.isFull).toBe(false);
  const leave = outstanding.enter();
  expect(outstanding.isFull).toBe(true);
  leave();
  expect(outstanding.isFull).toBe(false);
});
