import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { PoolEntry } from "./entry.ts";
import { NonceList } from "./nonce-list.ts";

/** Only what a list reads. */
function entry(nonce: number, gasPrice = 1n, effect = "transfer"): PoolEntry {
  const transaction = { nonce: BigInt(nonce), gasPrice, type: { effect } };
  return { transaction: transaction as unknown as Transaction } as PoolEntry;
}

function listOf(...nonces: number[]): NonceList {
  const list = new NonceList();
  for (const nonce of nonces) list.put(entry(nonce));
  return list;
}

const nonces = (entries: Iterable<PoolEntry>) =>
  [...entries].map(({ transaction }) => Number(transaction.nonce));

describe("a sender's transactions", () => {
  it("are in nonce order, one per nonce, in whatever order they are added and removed", () => {
    const step = fc.tuple(fc.boolean(), fc.nat(12));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const list = new NonceList();
        const model = new Map<number, PoolEntry>();
        for (const [isPut, nonce] of steps) {
          const one = entry(nonce);
          expect(isPut ? list.put(one) : list.remove(BigInt(nonce))).toBe(model.get(nonce));
          if (isPut) model.set(nonce, one);
          else model.delete(nonce);
          const sorted = [...model.keys()].sort((a, b) => a - b);
          expect([nonces(list.entries), list.length]).toEqual([sorted, sorted.length]);
          expect(list.last).toBe(model.get(sorted.at(-1) ?? -1));
          for (let i = 0; i <= 12; i++) expect(list.get(BigInt(i))).toBe(model.get(i));
        }
      }),
    );
  });

  it("are replaced only at a higher price, or by a cancel transaction at any price", () => {
    const list = new NonceList();
    list.put(entry(1, 10n));
    const accepts = (one: PoolEntry) => [list.accepts(one, true), list.accepts(one, false)];
    expect(accepts(entry(1, 11n))).toEqual([true, false]);
    expect(accepts(entry(1, 10n))).toEqual([false, false]);
    expect(accepts(entry(1, 1n, "cancel"))).toEqual([true, true]);
    expect(accepts(entry(2, 1n))).toEqual([true, true]);
  });

  it("can be cut at a nonce, at a count, and by a predicate", () => {
    const cut = (action: (list: NonceList) => PoolEntry[]) => {
      const list = listOf(2, 3, 5, 8);
      return [nonces(action(list)), nonces(list.entries)];
    };
    expect(cut((list) => list.removeBelow(5n))).toEqual([
      [2, 3],
      [5, 8],
    ]);
    expect(cut((list) => list.removeBelow(4n))).toEqual([
      [2, 3],
      [5, 8],
    ]);
    expect(cut((list) => list.removeFrom(5n))).toEqual([
      [5, 8],
      [2, 3],
    ]);
    expect(cut((list) => list.removeFrom(9n))).toEqual([[], [2, 3, 5, 8]]);
    expect(cut((list) => list.keepLowest(1))).toEqual([[3, 5, 8], [2]]);
    expect(cut((list) => list.removeWhere(({ transaction }) => transaction.nonce % 2n === 0n))).toEqual([
      [2, 8],
      [3, 5],
    ]);
    expect(cut((list) => list.removeWhere(() => false))).toEqual([[], [2, 3, 5, 8]]);
  });

  it("are taken from a nonce to the first gap, or to the first one not accepted", () => {
    const run = (from: bigint, most = 100n) => {
      const list = listOf(2, 3, 4, 6);
      return [
        nonces(list.takeRun(from, ({ transaction }) => transaction.nonce <= most)),
        nonces(list.entries),
      ];
    };
    expect(run(2n)).toEqual([[2, 3, 4], [6]]);
    expect(run(3n)).toEqual([
      [3, 4],
      [2, 6],
    ]);
    expect(run(3n, 3n)).toEqual([[3], [2, 4, 6]]);
    expect(run(1n)).toEqual([[], [2, 3, 4, 6]]);
    expect(run(6n)).toEqual([[6], [2, 3, 4]]);
  });
});
