// What the log keeps and drops: snapshots, old records, a full disk.
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TestCluster } from "../nodes/cluster.ts";
import { KEYS, transfer } from "../nodes/load.ts";
import type { ClusterNode } from "../nodes/nodes.ts";
import { until } from "../nodes/waiting.ts";
import { findPostgres, Postgres } from "../servers/postgres.ts";
import { SmallDisk } from "../servers/small-disk.ts";
import type { Scene } from "./scene.ts";

/** Heights of one table of records. */
const RANGE = 65_536;

/** All scenes, by name. */
export const STORAGE_SCENES: Readonly<Record<string, Scene>> = {
  async "snapshots are replaced, old records are dropped with their table, and a new follower starts from the rest"(
    postgres,
  ) {
    const cluster = await TestCluster.over(postgres, "retention");
    try {
      const begun = Date.now();
      const bare = (await cluster.alone("a", "--no-mining")).launch();
      for (let height = await bare.reaches(0); height < RANGE - 30; height = (await bare.height()) ?? 0)
        await bare.call("hardhat_mine", `0x${Math.min(200, RANGE - 30 - height).toString(16)}`);
      await bare.end();
      const filledMs = Date.now() - begun;
      const kept = ["--changelog.snapshot-every", "20", "--changelog.retain", "10"];
      const at = (name: string) => cluster.producer(name, undefined, "--no-mining", ...kept);
      const writer = (await at("a")).launch();
      await writer.says("a snapshot for new followers");
      const early = (await cluster.follower("b")).launch();
      await early.reaches(RANGE - 30);
      await early.end();
      const [key] = KEYS as [Uint8Array];
      for (let i = 0; i < 60; i++) {
        await writer.call("eth_sendRawTransaction", transfer(key, BigInt(i)));
        await writer.call("evm_mine");
      }
      const rows = <T>(text: string) => postgres.query<T>(text, "retention");
      const first = async () => Number((await rows<{ first: string }>("SELECT first FROM lease"))[0]?.first);
      await until(async () => (await first()) === RANGE, writer);
      await assert.rejects(rows("SELECT height FROM changes_0"), /does not exist/);
      const snapshots = await rows<{ height: string }>(
        "SELECT DISTINCT height FROM snapshots ORDER BY height",
      );
      assert.ok(
        snapshots.length <= 2 && Number(snapshots.at(-1)?.height) >= RANGE,
        JSON.stringify(snapshots),
      );
      early.launch();
      assert.equal(await early.exits(), 75, early.output);
      assert.match(early.output, /begins with block 65536 .*begin again in an empty data folder/);
      rmSync(join(cluster.folder("b"), "chaindata"), { recursive: true });
      const late = (await cluster.follower("c")).launch();
      early.launch();
      await writer.call("evm_mine");
      const height = (await writer.height()) ?? 0;
      await same([writer, late, early], height);
      await same([writer, late, early], RANGE - 20);
      return (
        `${RANGE - 30} blocks beforehand in ${(filledMs / 1_000).toFixed(0)} s; snapshots of ` +
        `${snapshots.map((row) => row.height).join(" and ")}`
      );
    } finally {
      await cluster.remove();
    }
  },

  async "a database with a full disk accepts nothing, loses nothing, and continues once it has space"() {
    const disk = SmallDisk.mount(192 << 20);
    if (disk === undefined) return "skipped: a small disk can only be mounted by root on Linux";
    const postgres = await Postgres.start(findPostgres() as string, {
      data: disk.folder,
      lines: ["max_wal_size = '32MB'", "min_wal_size = '32MB'", "wal_keep_size = 0"],
    });
    const cluster = await TestCluster.over(postgres, "no_room");
    try {
      const args = ["--block-time", "200ms", "--changelog.max-behind", "20"];
      const writer = (await cluster.producer("a", undefined, ...args)).launch();
      await writer.reaches(5);
      const follower = (await cluster.follower("b")).launch();
      await follower.reaches(5);
      disk.fill();
      await until(async () => (await fetch(`${writer.url}/ready`)).status === 503);
      const before = (await writer.height()) ?? 0;
      assert.ok(writer.isRunning && follower.isRunning);
      disk.free();
      await postgres.end("SIGINT");
      await postgres.launch();
      await writer.reaches(before + 25);
      await same([writer, follower], before + 20);
      return undefined;
    } finally {
      await cluster.remove();
      await postgres.remove();
      disk.unmount();
      assert.equal(existsSync(disk.folder), false);
    }
  },
};

/** Waits until all nodes have a block, and compares it. */
async function same(nodes: readonly ClusterNode[], height: number): Promise<void> {
  const blocks: string[] = [];
  for (const node of nodes) {
    await node.reaches(height);
    blocks.push(JSON.stringify(await node.call("eth_getBlockByNumber", `0x${height.toString(16)}`, true)));
  }
  for (const block of blocks) assert.equal(block, blocks[0]);
}
