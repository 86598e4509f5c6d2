import { describe, expect, it } from "vitest";
import type { Transaction } from "../transaction.ts";
import { gatherSingles } from "./gathered-recovery.ts";
import { keepSigners } from "./signers.ts";

const named = (name: string | number): Transaction => ({ name }) as unknown as Transaction;
const [a, b, c, d] = [named("a"), named("b"), named("c"), named("d")];

function setUp() {
  const asked: Transaction[][] = [];
  const failing = new Set<Transaction>();
  let turns: (() => void)[] = [];
  const recovery = gatherSingles(
    {
      async recover(transactions, signal) {
        signal?.throwIfAborted();
        asked.push([...transactions]);
        if (transactions.some((tx) => failing.has(tx))) throw new Error("no thread");
      },
    },
    1n,
    (callback) => turns.push(callback),
  );
  const endTurn = () => {
    const due = turns;
    turns = [];
    for (const callback of due) callback();
    return due.length;
  };
  return { recovery, asked, failing, endTurn };
}

describe("recovery of transactions that arrive one at a time", () => {
  it("batches the transactions of one turn, in order of arrival", async () => {
    const { recovery, asked, endTurn } = setUp();
    const all = [a, b, c].map((tx) => recovery.recover([tx]));
    await Promise.resolve();
    expect(asked).toEqual([]);
    expect(endTurn()).toBe(1);
    await Promise.all(all);
    expect(asked).toEqual([[a, b, c]]);
  });

  it("starts a new batch with the next turn", async () => {
    const { recovery, asked, endTurn } = setUp();
    const first = recovery.recover([a]);
    endTurn();
    await first;
    const second = recovery.recover([b]);
    endTurn();
    await second;
    expect(asked).toEqual([[a], [b]]);
  });

  it("waits for further turns as long as each brings more, eight in all", async () => {
    const { recovery, asked, endTurn } = setUp();
    const arrivals = async (perTurn: readonly number[]): Promise<number> => {
      for (const [turn, count] of perTurn.entries()) {
        for (let i = 0; i < count; i++) void recovery.recover([named(turn)]);
        endTurn();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return asked.splice(0).flatMap((batch) => batch.length)[0] ?? 0;
    };
    expect(await arrivals([4, 1, 1, 0])).toBe(6);
    expect(await arrivals([3])).toBe(3);
    expect(await arrivals([5, 0])).toBe(5);
    expect(await arrivals([4, 1, 1, 1, 1, 1, 1, 1])).toBe(11);
  });

  it("forwards lists immediately", async () => {
    const { recovery, asked, endTurn } = setUp();
    const single = recovery.recover([a]);
    await recovery.recover([b, c]);
    await recovery.recover([]);
    expect(asked).toEqual([[b, c], []]);
    endTurn();
    await single;
    expect(asked[2]).toEqual([a]);
  });

  it("obeys the signal of a call that has one", async () => {
    const { recovery, asked, endTurn } = setUp();
    const single = recovery.recover([a]);
    await expect(recovery.recover([b], AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
    await recovery.recover([c], new AbortController().signal);
    endTurn();
    await single;
    expect(asked).toEqual([[c], [a]]);
  });

  it("does not delay recovered transactions", async () => {
    const { recovery, asked, endTurn } = setUp();
    const known = { name: "known" } as unknown as Transaction;
    keepSigners(known, 1n, { sender: new Uint8Array(20), senderKeys: [], feePayerKeys: [] });
    await recovery.recover([known]);
    expect(endTurn()).toBe(0);
    expect(asked).toEqual([]);
  });

  it("fails those of its batch and no others", async () => {
    const { recovery, asked, failing, endTurn } = setUp();
    failing.add(b);
    const failed = [a, b].map((tx) => recovery.recover([tx]));
    endTurn();
    expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const later = recovery.recover([d]);
    endTurn();
    await later;
    expect(asked).toEqual([[a, b], [d]]);
  });
});
