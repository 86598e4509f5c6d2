import { expect, it } from "vitest";
import type { ExecutedBlock } from "../../ledger/chain/chain.ts";
import { blobTransaction, SIDECAR } from "../../node/testing/blobs.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import type { BlobSidecar } from "../../protocol/transaction/transaction.ts";
import { PeerError } from "../p2p/errors.ts";
import type { SidecarPlace } from "../protocol/parts.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { MissingSidecars } from "./missing-sidecars.ts";

const DAY_MS = 86_400_000;
const transactions = [1, 2, 3, 4, 5, 6].map((key) =>
  blobTransaction({ privateKey: new Uint8Array(32).fill(key), chainId: 1n }),
);

type SidecarSource = (places: readonly SidecarPlace[]) => Promise<readonly { sidecar: BlobSidecar }[]>;
const has: SidecarSource = async (places) => places.map((place) => ({ ...place, sidecar: SIDECAR }));
const hasNone: SidecarSource = async () => [];

/** Peers of `[type, head, answer]` whose received requests are recorded. */
function fetching(...described: readonly (readonly [type: number, head: bigint, answer: SidecarSource])[]) {
  const runtime = createSimulatedRuntime();
  const rows = new Map<string, BlobSidecar>();
  const asked: [peer: number, wanted: number][] = [];
  const banned: string[] = [];
  const peers = described.map(([connectionType, headNumber, answer], i) => ({
    ...{ version: 67, session: { connectionType }, headNumber },
    request(_: string, places: readonly SidecarPlace[]) {
      asked.push([i, places.length]);
      return answer(places);
    },
  })) as unknown as ChainPeer[];
  const table = {
    get: (number: bigint, index: number) => rows.get(`${number}/${index}`),
    keep: async (number: bigint, index: number, sidecar: BlobSidecar) =>
      void rows.set(`${number}/${index}`, sidecar),
  };
  const fault = async ({ blobs }: BlobSidecar) => (blobs[0]?.[0] === 9 ? "no proof" : undefined);
  const missing = new MissingSidecars({
    ...{ table, verifier: { fault }, clock: runtime.clock, timers: runtime.timers, logger: silentLogger },
    peers: () => peers,
    ban: (_, reason) => void banned.push(reason),
  });
  const block = (number: bigint, wanted = transactions, ageMs = 0) =>
    ({
      block: {
        header: { number, time: BigInt(Math.floor((runtime.clock.now() - ageMs) / 1_000)) },
        transactions: wanted,
      },
    }) as unknown as ExecutedBlock;
  return { missing, runtime, rows, asked, banned, block, peers };
}

it("requests four at a time, from the highest consensus node first, and keeps those it receives", async () => {
  const { missing, runtime, rows, asked, block } = fetching([1, 9n, has], [0, 7n, has], [0, 8n, has]);
  missing.joined([block(5n)]);
  await runtime.advance(50);
  expect(asked).toEqual([[2, 4]]);
  await runtime.advance(100);
  expect(asked).toEqual([
    [2, 4],
    [2, 2],
  ]);
  expect([...rows.keys()]).toEqual(["5/0", "5/1", "5/2", "5/3", "5/4", "5/5"]);
  expect(missing.size).toBe(0);
});

it("asks the next peer after ten seconds, at most five times", async () => {
  const { missing, runtime, rows, asked, block } = fetching(
    [0, 9n, hasNone],
    [2, 9n, hasNone],
    [1, 9n, hasNone],
  );
  missing.joined([block(5n, transactions.slice(0, 1))]);
  await runtime.advance(9_999);
  expect(asked).toEqual([[0, 1]]);
  await runtime.advance(100_000);
  expect(asked.map(([peer]) => peer)).toEqual([0, 1, 2, 0, 1]);
  expect([rows.size, missing.size]).toEqual([0, 0]);
});

it("keeps no invalid sidecar, and bans its sender", async () => {
  const blob = new Uint8Array(131_072).fill(9);
  const unproven: SidecarSource = async (places) =>
    places.map((place) => ({ ...place, sidecar: { ...SIDECAR, blobs: [blob] } }));
  const others: SidecarSource = async (places) =>
    places.map((place) => ({
      ...place,
      sidecar: { ...SIDECAR, commitments: [new Uint8Array(48).fill(0xc0)] },
    }));
  for (const lie of [unproven, others]) {
    const { missing, runtime, rows, banned, block } = fetching([0, 9n, lie], [0, 8n, has]);
    missing.joined([block(5n, transactions.slice(0, 1))]);
    await runtime.advance(50);
    expect([rows.size, banned.length, missing.size]).toEqual([0, 1, 1]);
    await runtime.advance(10_000);
    expect([rows.size, missing.size]).toEqual([1, 0]);
  }
});

it("accepts nothing unsolicited, and continues after a silent peer", async () => {
  const strange: SidecarSource = async () => [
    {
      ...{ blockNumber: 5n, transactionIndex: 0n, transactionHash: new Uint8Array(32) },
      sidecar: SIDECAR,
    },
  ];
  const silent: SidecarSource = () =>
    Promise.reject(new PeerError("MESSAGE", "timeout waiting for sidecars"));
  const { missing, runtime, rows, banned, block } = fetching([0, 9n, strange], [0, 8n, silent], [0, 7n, has]);
  missing.joined([block(5n, transactions.slice(0, 1))]);
  await runtime.advance(10_050);
  expect([rows.size, banned.length, missing.size]).toEqual([0, 0, 1]);
  await runtime.advance(10_050);
  expect([rows.size, missing.size]).toEqual([1, 0]);
});

it("requests neither known sidecars, nor those of old or removed blocks, nor from peers without sidecar support", async () => {
  const { missing, runtime, rows, asked, block, peers } = fetching([0, 9n, has]);
  rows.set("5/0", SIDECAR);
  const [first = [] as never, ...others] = transactions;
  missing.joined([block(5n, [first]), block(6n, others, 22 * DAY_MS), block(7n, others)]);
  missing.left([block(7n)]);
  await runtime.advance(1_000);
  expect(asked).toEqual([]);
  Object.assign(peers[0] as object, { version: 66 });
  missing.joined([block(8n)]);
  await runtime.advance(1_000);
  expect([asked, missing.size]).toEqual([[], 6]);
  missing.close();
  expect(missing.size).toBe(0);
});

it("tracks no more than four thousand", () => {
  const { missing, block } = fetching();
  for (let number = 1n; number < 1_000n; number++) missing.joined([block(number)]);
  expect(missing.size).toBe(4_096);
  missing.close();
});
