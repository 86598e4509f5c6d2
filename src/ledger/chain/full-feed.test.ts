import { expect, it } from "vitest";
import { createLedger, streamOf } from "./testing/ledger.ts";
import { blocksOf, GENESIS, numbersOf, transfer } from "./testing/transfers.ts";

/** A feed that accepts no further block while this many are not passed on. */
function feedOf(limit: number) {
  const waiting: (() => void)[] = [];
  return {
    feed: {
      check() {
        if (waiting.length >= limit) throw new Error("the feed is full");
      },
      unlessFailing: <T>(promise: Promise<T>) => promise,
      committed: () => new Promise<void>((resolve) => waiting.push(resolve)),
      rewound() {},
      amended() {},
    },
    passOn: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

it("a block that fills the feed is published like any other once the feed has passed it on", async () => {
  const { feed, passOn } = feedOf(2);
  const { chain, add } = await createLedger(GENESIS, { feed });
  const seen: number[][] = [];
  chain.onHead(({ added }) => seen.push(numbersOf(added)));
  await add(transfer(0n));
  await add(transfer(1n));
  await expect(add(transfer(2n))).rejects.toMatchObject({ code: "CLOSED" });
  expect([chain.tip.header.number, seen]).toEqual([2n, []]);
  passOn();
  await chain.published();
  const third = add(transfer(2n));
  await third;
  passOn();
  await chain.published();
  expect(seen.flat()).toEqual([1, 2, 3]);
});

it("a branch longer than the feed's limit becomes canonical whole, or not at all", async () => {
  const { feed, passOn } = feedOf(3);
  const { chain, importer } = await createLedger(GENESIS, { feed });
  const [short, long] = [await blocksOf(2), await blocksOf(6, 10n)];
  const imported = importer.importAll(streamOf(short));
  setTimeout(passOn, 20);
  await imported;
  const joined = importer.importBranch(long);
  const timer = setInterval(passOn, 20);
  expect(await joined).toBe(true);
  await chain.published();
  clearInterval(timer);
  expect(chain.head.header).toEqual(long.at(-1)?.header);
  chain.store.verify();
});
