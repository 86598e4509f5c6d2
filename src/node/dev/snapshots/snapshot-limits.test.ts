import { expect, it } from "vitest";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { made } from "../../../ledger/execution/testing/world.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { Impersonation } from "../accounts/impersonation.ts";
import { Amendments } from "../amendments.ts";
import { type SnapshotParts, Snapshots } from "./snapshots.ts";

/** Snapshots of a chain that stands still, of which each edit keeps 100 bytes. */
function standing(bytes: number) {
  const hash = new Uint8Array(32);
  let undone = 0;
  const chain = {
    exclusive: (action: () => Promise<unknown>) => action(),
    published: async () => undefined,
    tip: { header: { number: 1n }, hash },
    ancestry: { hash: () => hash },
    announce: () => undefined,
    beginGeneration: () => undefined,
    amend: async () => ({
      bytes: 100,
      durable: Promise.resolve(),
      undo: () => {
        undone++;
        return { durable: Promise.resolve() };
      },
    }),
  } as unknown as Blockchain;
  const amendments = new Amendments(chain);
  const still = { setting: {}, restore: () => undefined };
  const impersonation = new Impersonation();
  const waiting: Transaction[] = [];
  const pool = { inArrivalOrder: () => [...waiting], clear: () => undefined, addAll: async () => [] };
  const parts = { chain, amendments, pool, clock: still, impersonation, nextBlock: still };
  const snapshots = new Snapshots(parts as unknown as SnapshotParts, { count: 100, bytes });
  const edit = () => amendments.make({ accounts: [], codes: [] }, snapshots.any);
  return { snapshots, amendments, impersonation, waiting, edit, undone: () => undone };
}

it("drops the oldest snapshots with their edits when they take too much memory", async () => {
  const { snapshots, amendments, edit, undone } = standing(1000);
  const first = await snapshots.take();
  for (let i = 0; i < 6; i++) await edit();
  const second = await snapshots.take();
  for (let i = 0; i < 6; i++) await edit();
  expect(amendments.bytes).toBe(600);
  await expect(snapshots.revert(first)).rejects.toMatchObject({ code: "SNAPSHOT_DROPPED" });
  expect(await snapshots.revert(second)).toBe(true);
  expect(undone()).toBe(6);
  expect(amendments.bytes).toBe(0);
});

it("counts a pooled transaction shared by several snapshots once, and drops the oldest if the pool's content differs each time", async () => {
  const { snapshots, waiting } = standing(60_000);
  waiting.push(...Array.from({ length: 20 }, () => made("ValueTransfer", { to: new Uint8Array(20) })));
  for (let i = 0; i < 10; i++) await snapshots.take();
  expect(snapshots.list()).toHaveLength(10);
  for (let i = 0; i < 20; i++) {
    waiting.splice(
      0,
      20,
      ...Array.from({ length: 20 }, () => made("ValueTransfer", { to: new Uint8Array(20) })),
    );
    await snapshots.take();
  }
  expect(snapshots.list().map(({ id }) => id)).toEqual([29n, 30n]);
});

it("drops even the only snapshot", async () => {
  const { snapshots, amendments, edit } = standing(1000);
  const id = await snapshots.take();
  for (let i = 0; i < 20; i++) await edit();
  expect(amendments.bytes).toBe(0);
  await expect(snapshots.revert(id)).rejects.toThrow("snapshot 0x1 was dropped");
  expect(await snapshots.revert(99n)).toBe(false);
});

it("shares impersonation data between snapshots, and counts what each has of its own", async () => {
  const { snapshots, impersonation } = standing(5000);
  const account = (i: number) => new Uint8Array(20).fill(i);
  for (let i = 0; i < 20; i++) impersonation.start(account(i));
  for (let i = 0; i < 10; i++) await snapshots.take();
  expect(snapshots.list()).toHaveLength(10);
  expect(impersonation.setting.accounts).toBe(impersonation.setting.accounts);
  // Each of these has some 20 accounts of its own: two of them and the ten fit.
  for (let i = 20; i < 24; i++) {
    impersonation.start(account(i));
    await snapshots.take();
  }
  expect(snapshots.list().map(({ id }) => id)).toEqual([13n, 14n]);
  await snapshots.revert(13n);
  expect(impersonation.setting.accounts.size).toBe(23);
});
