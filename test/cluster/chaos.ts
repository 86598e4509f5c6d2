// Everything that can be killed, stopped or cut is, at random, while clients send; then all is compared.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { TestCluster } from "./cluster.ts";
import { compareChains } from "./compare.ts";
import { ClusterLoad } from "./load.ts";
import type { ClusterNode } from "./nodes.ts";
import type { Postgres } from "./postgres.ts";
import { Wire } from "./wire.ts";

const MAKER = ["--block-time", "150ms", "--changelog.durability", "shared", "--changelog.lease", "3s"];
/** A network whose faults last for ever makes no blocks. */
const CALM_MS = { least: 500, most: 4_000 };

/**
 * Runs a writer, a standby and two followers through a wire until there are so many blocks, disturbing them all the time.
 * @returns what was done and compared, for people
 */
export async function chaos(postgres: Postgres, blocks: number): Promise<string> {
  const direct = await postgres.createDatabase("chaos");
  const wire = await Wire.start(postgres.port);
  const cluster = new TestCluster(direct);
  const through = postgres.url("chaos", undefined, wire.port);
  const counts = new Map<string, number>();
  try {
    const makers = [await cluster.maker("a", through, ...MAKER), await cluster.maker("b", through, ...MAKER)];
    const followers = [await cluster.follower("c", through), await cluster.follower("d", through)];
    const [first, second] = makers as [ClusterNode, ClusterNode];
    first.launch();
    await first.reaches(1);
    second.launch("--role", "standby");
    for (const follower of followers) follower.launch();
    const nodes = [...makers, ...followers];
    for (const node of nodes) await node.reaches(1);
    const load = new ClusterLoad(nodes);
    const faults: Readonly<Record<string, () => Promise<void>>> = {
      "kill -9 of a maker": () => kill(oneOf(makers), ["--role", "standby"]),
      "kill -9 of a follower": () => kill(oneOf(followers), []),
      "SIGSTOP of a maker": () => stall(oneOf(makers)),
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
      "cut connections": async () => wire.cut(),
      "slow network": () => weather(wire, "slow"),
      "silent network": () => weather(wire, "silent"),
    };
    for (let height = 0; height < blocks; ) {
      const name = oneOf(Object.keys(faults));
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await faults[name]?.();
      await pause(between(CALM_MS.least, CALM_MS.most));
      // Whoever ended by itself, as a writer whose lease was lost, is started again, as a service manager would.
      for (const node of makers) if (!node.isRunning) node.launch("--role", "standby");
      for (const node of followers) if (!node.isRunning) node.launch();
      height = Math.max(
        height,
        ...(await Promise.all(nodes.map(async (node) => (await node.height()) ?? 0))),
      );
    }
    await load.end();
    const height = Math.max(...(await Promise.all(nodes.map(async (node) => (await node.height()) ?? 0))));
    for (const node of nodes) await node.reaches(height);
    const compared = await compareChains(nodes, load.acknowledged, postgres, "chaos");
    assert.ok(load.acknowledged.size > 0, "nothing was acknowledged");
    const done = [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
    return `${done}; ${compared.blocks} blocks, ${compared.transactions} transactions, ${load.acknowledged.size} acknowledged: no gap, none twice, none lost, equal roots on ${nodes.length} nodes`;
  } finally {
    wire.close();
    await cluster.remove();
  }
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

async function weather(wire: Wire, kind: Wire["weather"]): Promise<void> {
  wire.weather = kind;
  await pause(between(500, 7_000));
  wire.weather = "clear";
}

function between(least: number, most: number): number {
  return least + Math.floor(Math.random() * (most - least));
}

function oneOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T;
}
