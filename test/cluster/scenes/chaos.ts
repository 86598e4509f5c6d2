// Kills, suspends and disconnects nodes and database at random while clients send; finally compares all chains.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { TestCluster } from "../nodes/cluster.ts";
import { compareChains } from "../nodes/compare.ts";
import { ClusterLoad } from "../nodes/load.ts";
import type { ClusterNode } from "../nodes/nodes.ts";
import { Postgres } from "../servers/postgres.ts";
import { SmallDisk } from "../servers/small-disk.ts";
import { TcpProxy } from "../servers/tcp-proxy.ts";

const PRODUCER_ARGS = [
  "--block-time",
  "150ms",
  "--changelog.durability",
  "shared",
  "--changelog.lease",
  "3s",
];
/** A network with permanent faults seals no blocks. */
const CALM_MS = { min: 500, max: 4_000 };
/** Size of the database's disk, if one can be mounted. */
const DISK_BYTES = 1 << 30;
/** Interval between progress reports of a long run. */
const REPORT_MS = 60_000;

/**
 * Runs a writer, a standby and two followers through a proxy for a number of blocks or a time, disturbing them continuously, then
 * compares everything.
 * @param limits - blocks, and milliseconds
 * @returns a summary of disturbances and results
 */
export async function chaos(
  programs: string,
  limits: { readonly blocks: number; readonly timeMs: number },
): Promise<string> {
  const disk = SmallDisk.mount(DISK_BYTES);
  const postgres = await Postgres.start(programs, { ...(disk && { data: disk.folder }) });
  try {
    return await disturb(postgres, disk, limits);
  } finally {
    await postgres.remove();
    disk?.unmount();
  }
}

async function disturb(
  postgres: Postgres,
  disk: SmallDisk | undefined,
  { blocks, timeMs }: { readonly blocks: number; readonly timeMs: number },
): Promise<string> {
  const direct = await postgres.createDatabase("chaos");
  const proxy = await TcpProxy.start(postgres.port);
  const cluster = new TestCluster(direct);
  const through = postgres.url("chaos", undefined, proxy.port);
  const counts = new Map<string, number>();
  try {
    const producers = [
      await cluster.producer("a", through, ...PRODUCER_ARGS),
      await cluster.producer("b", through, ...PRODUCER_ARGS),
    ];
    const followers = [await cluster.follower("c", through), await cluster.follower("d", through)];
    const [first, second] = producers as [ClusterNode, ClusterNode];
    first.launch();
    await first.reaches(1);
    second.launch("--role", "standby");
    for (const follower of followers) follower.launch();
    const nodes = [...producers, ...followers];
    for (const node of nodes) await node.reaches(1);
    const load = new ClusterLoad(nodes);
    const faults: Readonly<Record<string, () => Promise<void>>> = {
      "kill -9 of a producer": () => kill(oneOf(producers), ["--role", "standby"]),
      "kill -9 of a follower": () => kill(oneOf(followers), []),
      "SIGSTOP of a producer": () => stall(oneOf(producers)),
      "SIGSTOP of a follower": () => stall(oneOf(followers)),
      "kill -9 of the database": async () => {
        await postgres.end("SIGKILL");
        await pause(between(100, 2_000));
        await postgres.launch();
      },
      "restart of the database": async () => {
        await postgres.end("SIGINT");
        await postgres.launch();
      },
      "cut connections": async () => proxy.cut(),
      ...(disk && { "full disk of the database": () => fullDisk(disk, postgres) }),
      "slow network": () => impair(proxy, "slow"),
      "silent network": () => impair(proxy, "silent"),
    };
    const begun = Date.now();
    let reportedMs = 0;
    let faulted = 0;
    let height = 0;
    for (; height < blocks && Date.now() - begun < timeMs; faulted++) {
      const name = oneOf(Object.keys(faults));
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await faults[name]?.();
      await pause(between(CALM_MS.min, CALM_MS.max));
      // Nodes that exited by themselves, like a writer that lost its lease, are restarted, as a service manager would.
      for (const node of producers) if (!node.isRunning) node.launch("--role", "standby");
      for (const node of followers) if (!node.isRunning) node.launch();
      if (!postgres.isRunning) await postgres.launch();
      height = Math.max(height, await newest(nodes));
      if (Date.now() - begun - reportedMs < REPORT_MS) continue;
      reportedMs = Date.now() - begun;
      const minutes = Math.round(reportedMs / 60_000);
      console.log(
        `      ${minutes} min: block ${height}, ${faulted + 1} faults, ${load.acknowledged.size} acknowledged`,
      );
    }
    await load.end();
    height = await newest(nodes);
    for (const node of nodes) await node.reaches(height);
    const compared = await compareChains(nodes, load.acknowledged, postgres, "chaos");
    assert.ok(load.acknowledged.size > 0, "nothing was acknowledged");
    const done = [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
    return (
      `${done}; ${compared.blocks} blocks, ${compared.transactions} transactions, ${load.acknowledged.size} ` +
      `acknowledged: no gap, none twice, none lost, equal roots on ${nodes.length} nodes`
    );
  } finally {
    proxy.close();
    await cluster.remove();
  }
}

async function newest(nodes: readonly ClusterNode[]): Promise<number> {
  return Math.max(...(await Promise.all(nodes.map(async (node) => (await node.height()) ?? 0))));
}

/** A database without space for its log exits; it cannot start before there is space again. */
async function fullDisk(disk: SmallDisk, postgres: Postgres): Promise<void> {
  disk.fill();
  await pause(between(500, 5_000));
  disk.free();
  await pause(500);
  if (!postgres.isRunning) await postgres.launch();
}

async function kill(node: ClusterNode, args: readonly string[]): Promise<void> {
  await node.end("SIGKILL");
  await pause(between(0, 2_000));
  node.launch(...args);
}

async function stall(node: ClusterNode): Promise<void> {
  node.signal("SIGSTOP");
  await pause(between(500, 6_000));
  node.signal("SIGCONT");
}

async function impair(proxy: TcpProxy, kind: TcpProxy["mode"]): Promise<void> {
  proxy.mode = kind;
  await pause(between(500, 7_000));
  proxy.mode = "clear";
}

function between(min: number, max: number): number {
  return min + Math.floor(Math.random() * (max - min));
}

function oneOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T;
}
