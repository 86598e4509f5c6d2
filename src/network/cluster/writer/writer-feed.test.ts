import { expect, it } from "vitest";
import { createLedger, genesisOf } from "../../../ledger/chain/testing/ledger.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { MemoryChangeLog } from "../testing/memory-change-log.ts";
import { WriterFeed } from "./writer-feed.ts";

it("removes nothing from a log with several writers", async () => {
  const log = new MemoryChangeLog(() => 0);
  const { chain, add } = await createLedger(genesisOf({}));
  const start = { height: 0n, hash: chain.genesisHash };
  await log.prepare({ genesisHash: chain.genesisHash, chainId: 2019n }, start);
  const genesis = chain.tip;
  await add();
  const feed = new WriterFeed({
    ...{ log, chain: () => chain, durability: "shared", maxBehind: 512 },
    ...{ runtime: systemRuntime, logger: silentLogger, onFailure: () => {} },
  });
  feed.begin(0n, start, () => {});
  feed.rewound(genesis);
  expect(await feed.close(10_000)).toBe(0);
  expect((await log.state()).height).toBe(1n);
});

it("appends the blocks that the chain had before, and reports when the log has them", async () => {
  const log = new MemoryChangeLog(() => 0);
  const { chain, add } = await createLedger(genesisOf({}));
  const start = { height: 0n, hash: chain.genesisHash };
  await log.prepare({ genesisHash: chain.genesisHash, chainId: 2019n }, start);
  await log.acquire({ holder: "a", url: "", ttlMs: 60_000 });
  for (let i = 0; i < 70; i++) await add();
  const feed = new WriterFeed({
    ...{ log, chain: () => chain, durability: "shared", maxBehind: 512 },
    ...{ runtime: systemRuntime, logger: silentLogger, onFailure: () => {} },
  });
  feed.begin(1n, start, () => {});
  expect(feed.lag.blocks).toBe(70);
  await feed.caughtUp();
  expect([feed.lag.blocks, (await log.state()).height]).toEqual([0, 70n]);
  feed.begin(1n, start, () => {});
  await chain.exclusive(() => chain.rewind(60n));
  feed.rewound(chain.tip);
  expect(await feed.close(10_000)).toBe(0);
  expect((await log.state()).hash).toEqual(chain.hash(60n));
});

it("ends whoever waits for the log when it is closed", async () => {
  const log = new MemoryChangeLog(() => 0);
  const { chain } = await createLedger(genesisOf({}));
  const feed = new WriterFeed({
    ...{ log, chain: () => chain, durability: "shared", maxBehind: 512 },
    ...{ runtime: systemRuntime, logger: silentLogger, onFailure: () => {} },
  });
  const never = new Promise<never>(() => {});
  const early = feed.unlessFailing(never).catch((error) => error.code);
  await feed.close(0);
  expect([await early, await feed.unlessFailing(never).catch((error) => error.code)]).toEqual([
    "LOG_BUSY",
    "LOG_BUSY",
  ]);
});
