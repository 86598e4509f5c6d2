import { expect, it, vi } from "vitest";
import { transfer } from "../../ledger/chain/testing/transfers.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { emptyHeader } from "../../protocol/block/testing/header.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bigintToFixedBytes, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import { rowCount, type TableRows } from "./block-rows.ts";
import { TableFeeder } from "./table-feeder.ts";

const BATCH = keccak256(
  new TextEncoder().encode("TransferBatch(address,address,address,uint256[],uint256[])"),
);
const IDS = 30_000;
const word = (n: number): Uint8Array => bigintToFixedBytes(BigInt(n), 32);
const HASH = new Uint8Array(32).fill(1);

/** A log that reports transfers of tokens 0, 1, 2 and so on. */
const log = (count: number) => {
  const list = Array.from({ length: count }, (_, n) => word(n));
  const data = Buffer.concat([word(64), word(96 + 32 * count), word(count), ...list, word(count), ...list]);
  return {
    address: new Uint8Array(20),
    topics: [BATCH, word(1), word(2), word(3)],
    data: new Uint8Array(data),
  };
};

it("sends the rows of a block with many transfers in pieces, within one transaction", async () => {
  const receipt = { status: 1, gasUsed: 21_000n, logs: [log(IDS), log(3)] };
  const block = { header: emptyHeader(), transactions: [transfer(0n)] };
  const chain = {
    head: block,
    hash: (n: bigint) => (n === 0n ? HASH : undefined),
    block: (n: bigint) => (n === 0n ? block : undefined),
    receipts: (n: bigint) => (n === 0n ? [receipt] : undefined),
    config: { chainId: 1000n },
    rulesAt: () => ({}),
    author: () => new Uint8Array(20),
    genesisHash: HASH,
    onHead: () => () => {},
  };
  const sizes: number[] = [];
  const kept: Record<string, unknown[][]> = {};
  let transactions = 0;
  const tables = {
    place: "test",
    prepare: async () => ({ height: -1n, hash: ZERO_HASH }),
    append: async (_before: unknown, pieces: () => AsyncIterable<TableRows>) => {
      transactions++;
      for await (const rows of pieces()) {
        sizes.push(rowCount(rows));
        for (const [table, list] of Object.entries(rows)) kept[table] = [...(kept[table] ?? []), ...list];
      }
    },
  };
  const { timers } = systemRuntime;
  const logger = { warn: (_: string, { reason }: { reason: string }) => expect(reason).toBe("") };
  const parts = { tables, chain, pace: new TimeSlice(), timers, logger };
  const feeder = new TableFeeder(parts as never);
  await vi.waitFor(() => expect(feeder.height).toBe(0n), { timeout: 10_000 });
  await feeder.stop();
  expect(transactions).toBe(1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5_001);
  expect(kept["blocks"]).toHaveLength(1);
  expect([kept["transactions"], kept["receipts"], kept["logs"]].map((rows) => rows?.length)).toEqual([
    1, 1, 2,
  ]);
  const found = kept["token_transfers"]?.map((row) => [row[1], row[2], row[8]]);
  const expected = (index: number, count: number) =>
    Array.from({ length: count }, (_, n) => [index, n, String(n)]);
  expect(found).toEqual([...expected(0, IDS), ...expected(1, 3)]);
});
