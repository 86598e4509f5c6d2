// `npm run cluster`: a PostgreSQL, a writer, a standby and two followers on this machine, and a client that spreads its reads over
// the followers and shows the progress of each node. `-- --seconds N` stops it after that time; Ctrl-C at any time.
import { setTimeout as pause } from "node:timers/promises";
import { TestCluster } from "./nodes/cluster.ts";
import { addressOf, ClusterLoad, KEYS } from "./nodes/load.ts";
import type { ClusterNode } from "./nodes/nodes.ts";
import { findPostgres, HOW_TO_INSTALL, Postgres } from "./servers/postgres.ts";

const SHOWN_MS = 1_000;
const READS_AT_ONCE = 4;
/** Pause before a node that has exited is restarted. */
const AGAIN_MS = 6_000;
const PRODUCER_ARGS = ["--block-time", "1s", "--changelog.durability", "shared"];

class Ended extends Error {}

const programs = findPostgres();
if (programs === undefined) {
  console.error(`cluster: ${HOW_TO_INSTALL}`);
  process.exit(1);
}
const end = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end.abort());
const at = process.argv.indexOf("--seconds");
if (at >= 0) setTimeout(() => end.abort(), 1_000 * Number(process.argv[at + 1])).unref();
const ended = new Promise<never>((_, reject) =>
  end.signal.addEventListener("abort", () => reject(new Ended("it ends")), { once: true }),
);
ended.catch(() => {});
/** Waits for a promise, or for the end. @throws Ended */
const unlessEnded = <T>(promise: Promise<T>): Promise<T> => Promise.race([promise, ended]);

console.log("cluster: starting a PostgreSQL in a temporary folder, and four nodes …");
const postgres = await Postgres.start(programs);
const cluster = await TestCluster.over(postgres, "chain");
try {
  await play();
} catch (error) {
  // Ctrl-C also reaches the database, which may exit first.
  if (!(error instanceof Ended || end.signal.aborted)) {
    console.error(error);
    process.exitCode = 1;
  }
} finally {
  console.log("\ncluster: ending …");
  end.abort();
  await Promise.all(cluster.nodes.map((node) => node.end("SIGTERM")));
  await cluster.remove();
  await postgres.remove();
}
process.exit();

async function play(): Promise<void> {
  const nodes = new Map<string, ClusterNode>();
  const writer = await cluster.producer("writer", undefined, ...PRODUCER_ARGS);
  nodes.set("node a", writer.launch());
  await unlessEnded(writer.reaches(0));
  const standby = await cluster.producer("standby", undefined, ...PRODUCER_ARGS);
  nodes.set("node b", standby.launch("--role", "standby"));
  const followers = [await cluster.follower("follower-1"), await cluster.follower("follower-2")];
  for (const [i, follower] of followers.entries()) nodes.set(`follower ${i + 1}`, follower.launch());
  for (const node of nodes.values()) await unlessEnded(node.reaches(0));
  console.log(`\ndatabase     ${postgres.url("chain")}`);
  for (const [name, node] of nodes) console.log(`${name.padEnd(12)} ${node.url}   process ${node.pid}`);
  console.log(
    `\nkill -9 ${writer.pid} lets node b take over; node a returns as its standby. Ctrl-C stops everything.\n`,
  );
  const load = new ClusterLoad([...nodes.values()]);
  const reads = new Map<ClusterNode, number>();
  const reading = followers.flatMap((node) =>
    Array.from({ length: READS_AT_ONCE }, () =>
      readOn(node, () => reads.set(node, (reads.get(node) ?? 0) + 1)),
    ),
  );
  const restarting = [...nodes].map(([name, node]) => restart(name, node));
  try {
    for (;;) {
      reads.clear();
      const sent = load.acknowledged.size;
      await unlessEnded(pause(SHOWN_MS));
      await show(nodes, reads, load.acknowledged.size - sent);
    }
  } finally {
    await Promise.all([load.end(), ...reading, ...restarting]);
    console.log(`\n${load.acknowledged.size} transfers were sent through all nodes and have their receipts`);
  }
}

async function readOn(node: ClusterNode, note: () => void): Promise<void> {
  while (!end.signal.aborted)
    await node
      .call("eth_getBalance", addressOf(KEYS[0] as Uint8Array), "latest")
      .then(note)
      .catch(() => pause(200));
}

/** Restarts a node when it has exited, as a service manager would; producers return as standbys. */
async function restart(name: string, node: ClusterNode): Promise<void> {
  while (!end.signal.aborted) {
    await pause(200);
    if (node.isRunning) continue;
    console.log(`          ${name} has exited and restarts in ${AGAIN_MS / 1_000} s`);
    await unlessEnded(pause(AGAIN_MS)).catch(() => {});
    if (end.signal.aborted) return;
    node.launch(...(name.startsWith("node") ? ["--role", "standby"] : []));
    console.log(`          ${name} is process ${node.pid} now`);
  }
}

/** One line: the writer, the progress of each node, and the followers' read rate. */
async function show(
  nodes: ReadonlyMap<string, ClusterNode>,
  reads: ReadonlyMap<ClusterNode, number>,
  receipts: number,
): Promise<void> {
  const [lease] = await postgres.query<{ url: string; epoch: string }>(
    `SELECT url, epoch FROM lease`,
    "chain",
  );
  const heights = await Promise.all([...nodes.values()].map((node) => node.height()));
  if (end.signal.aborted) return;
  const head = Math.max(...heights.map((height) => height ?? 0));
  const shown = [...nodes].map(([name, node], i) => {
    const height = heights[i];
    const isWriter = lease?.url.endsWith(`:${node.port}/`);
    const role = isWriter ? " writes" : "";
    const rate = name.startsWith("follower") ? `, ${reads.get(node) ?? 0} reads/s` : "";
    return `${name}${role}: ${height === undefined ? "away" : `${lagOf(head - height)}${rate}`}`;
  });
  console.log(`block ${head}, epoch ${lease?.epoch}   ${shown.join("   ")}   ${receipts} receipts/s`);
}

function lagOf(blocks: number): string {
  return blocks === 0 ? "there" : `${blocks} behind`;
}
