// `npx tsx bench/cluster/measure.mts [lag|append|reads|idle|database]`, `lag hash` for followers with `--verify hash`: the
// figures of docs/scale.md. It needs the built program and a PostgreSQL.
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { TestCluster } from "../../test/cluster/nodes/cluster.ts";
import { KEYS, transfer } from "../../test/cluster/nodes/load.ts";
import type { ClusterNode } from "../../test/cluster/nodes/nodes.ts";
import { cpuSeconds } from "../../test/cluster/nodes/processes.ts";
import { findPostgres, HOW_TO_INSTALL, Postgres } from "../../test/cluster/servers/postgres.ts";
import { measureDatabase } from "./database.mts";

const what = process.argv[2] ?? "lag";

const READS_PER_BODY = 50;

/** Request bodies, each a batch of balances of distinct accounts. */
const READS = Array.from({ length: 64 }, (_, body) =>
  JSON.stringify(
    Array.from({ length: READS_PER_BODY }, (_, id) => ({
      ...{ jsonrpc: "2.0", id, method: "eth_getBalance" },
      params: [`0x${(body * READS_PER_BODY + id).toString(16).padStart(40, "0")}`, "latest"],
    })),
  ),
);

const programs = findPostgres();
if (programs === undefined) {
  console.error(`measure: ${HOW_TO_INSTALL}`);
  process.exit(1);
}
const postgres = await Postgres.start(programs);
try {
  if (what === "lag") await lag();
  else if (what === "append") await append();
  else if (what === "idle") await idle();
  else if (what === "database") await database();
  else await reads();
} finally {
  await postgres.remove();
}

/** Request bodies with 1,000 presigned transfers, each a batch of one account. */
function batchesOf(round: number): readonly string[] {
  const perKey = 1_000 / KEYS.length;
  return KEYS.map((key) =>
    JSON.stringify(
      Array.from({ length: perKey }, (_, i) => ({
        ...{ jsonrpc: "2.0", id: i, method: "kaia_sendRawTransaction" },
        params: [transfer(key, BigInt(round * perKey + i))],
      })),
    ),
  );
}

/** Sends batches. @throws Error if a call fails */
async function send(node: ClusterNode, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const headers = { "content-type": "application/json" };
    const text = await (await fetch(node.url, { method: "POST", headers, body })).text();
    if (text.includes('"error"')) throw new Error(text.slice(0, 300));
  }
}

/** Seals a block of the sent transactions. @returns its number */
async function mine(node: ClusterNode): Promise<number> {
  await node.call("evm_mine");
  const block = await node.call<{ number: string; transactions: unknown[] }>(
    "eth_getBlockByNumber",
    "latest",
    false,
  );
  if (block.transactions.length !== 1_000) throw new Error(`a block of ${block.transactions.length}`);
  return Number(block.number);
}

/** One block per second of 1,000 transfers: the delay between the writer's announcement and a follower serving it. */
async function lag(warmUp = 2, blocks = 20): Promise<void> {
  const cluster = await TestCluster.over(postgres, "lag");
  try {
    const rounds = Array.from({ length: warmUp + blocks }, (_, round) => batchesOf(round));
    const writer = (await cluster.producer("a", undefined, "--no-mining")).launch();
    await writer.reaches(0);
    const verify = process.argv[3] ?? "roots";
    const follower = (await cluster.follower("b", undefined, "--verify", verify)).launch();
    await follower.reaches(0);
    const lags: number[] = [];
    const cpu = { writer: 0, follower: 0 };
    for (const [round, bodies] of rounds.entries()) {
      if (round === warmUp)
        Object.assign(cpu, { writer: cpuSeconds(writer.pid), follower: cpuSeconds(follower.pid) });
      const begun = performance.now();
      await send(writer, bodies);
      await pause(Math.max(0, 900 - (performance.now() - begun)));
      await writer.call("evm_mine");
      const announced = performance.now();
      // A single blocking request: polling would dominate the follower's work.
      while ((await follower.callFrom(round + 1, "eth_blockNumber").catch(() => undefined)) === undefined);
      if (round >= warmUp) lags.push(performance.now() - announced);
      await pause(Math.max(0, 1_000 - (performance.now() - begun)));
    }
    const written = (cpuSeconds(writer.pid) - cpu.writer) / blocks;
    const followed = (cpuSeconds(follower.pid) - cpu.follower) / blocks;
    lags.sort((a, b) => a - b);
    const at = (share: number) => lags[Math.floor(share * (lags.length - 1))]?.toFixed(0);
    console.log(
      `lag of a follower with --verify ${verify} over ${blocks} blocks of 1,000 transfers, one a second: p50 ` +
        `${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`,
    );
    console.log(
      `CPU time per block: ${(1_000 * written).toFixed(0)} ms of the writer, ${(1_000 * followed).toFixed(0)} ms of the follower`,
    );
  } finally {
    await cluster.remove();
  }
}

/** CPU time of a writer per transaction with and without a change log: two nodes alternately make the same blocks. */
async function append(warmUp = 4, blocks = 32): Promise<void> {
  const cluster = await TestCluster.over(postgres, "append");
  try {
    const plain = (await cluster.alone("plain", "--no-mining")).launch();
    const logged = (await cluster.producer("logged", undefined, "--no-mining")).launch();
    const spent = new Map<ClusterNode, number[]>();
    for (const node of [plain, logged]) {
      await node.reaches(0);
      spent.set(node, []);
    }
    for (let round = 0; round < warmUp + blocks; round++) {
      const bodies = batchesOf(round);
      for (const node of round % 2 === 0 ? [plain, logged] : [logged, plain]) {
        const before = cpuSeconds(node.pid);
        await send(node, bodies);
        await mine(node);
        await pause(400); // including appends after the announcement
        if (round >= warmUp) spent.get(node)?.push(1_000 * (cpuSeconds(node.pid) - before));
      }
    }
    const [without = [], with_ = []] = [spent.get(plain), spent.get(logged)];
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const median = (values: readonly number[]) =>
      values.toSorted((a, b) => a - b)[values.length >> 1] as number;
    const more = without.map((value, i) => 100 * ((with_[i] as number) / value - 1));
    console.log(
      `CPU time of a transfer over ${blocks} blocks of 1,000 by turns: ${mean(without).toFixed(0)} µs without, ` +
        `${mean(with_).toFixed(0)} µs with a change log: ${(100 * (mean(with_) / mean(without) - 1)).toFixed(1)} % more ` +
        `(median of the pairs ${median(more).toFixed(1)} %)`,
    );
    const [size] = await postgres.query<{ largest: string }>(
      `SELECT MAX(octet_length(payload)) AS largest FROM changes_0`,
      "append",
    );
    console.log(`a record of 1,000 transfers between their own accounts has ${size?.largest} bytes`);
  } finally {
    await cluster.remove();
  }
}

/**
 * Sends requests to several nodes, over four connections each.
 * @returns reads, and CPU seconds of the nodes
 */
async function ask(nodes: readonly ClusterNode[], seconds: number): Promise<{ reads: number; cpu: number }> {
  const spent = () => nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const before = spent();
  const asked = await Promise.all(
    nodes.map(async ({ url }) => {
      const workerData = { url, bodies: READS, seconds };
      const asker = new Worker(new URL("./asker.mjs", import.meta.url), { workerData, execArgv: [] });
      const [answers] = (await once(asker, "message")) as [number];
      return answers;
    }),
  );
  return { reads: READS_PER_BODY * asked.reduce((sum, answers) => sum + answers, 0), cpu: spent() - before };
}

/** `eth_getBalance` per CPU second of 1, 2 and 4 followers, and of as many independent nodes. */
async function reads(): Promise<void> {
  const cluster = await TestCluster.over(postgres, "reads");
  try {
    const writer = (await cluster.producer("a", undefined, "--block-time", "1s")).launch();
    await writer.reaches(1);
    const followers: ClusterNode[] = [];
    for (const name of ["b", "c", "d", "e"]) followers.push((await cluster.follower(name)).launch());
    for (const follower of followers) await follower.reaches(2);
    await readsOf("followers", followers);
    for (const node of [writer, ...followers]) await node.end();
    const others: ClusterNode[] = [];
    for (const name of ["f", "g", "h", "i"])
      others.push((await cluster.alone(name, "--block-time", "1s")).launch());
    for (const node of others) await node.reaches(1);
    await readsOf("nodes alone", others);
  } finally {
    await cluster.remove();
  }
}

/** Sends requests to 1, 2 and 4 of the nodes in turn, while blocks are made, and prints the cost. */
async function readsOf(name: string, nodes: readonly ClusterNode[], rounds = 4, seconds = 3): Promise<void> {
  for (const node of nodes) await ask([node], seconds); // warm-up: hot code gets compiled
  const counts = [1, 2, 4];
  const found = new Map(counts.map((count) => [count, { reads: 0, cpu: 0 }]));
  for (let round = 0; round < rounds; round++)
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      const { reads, cpu } = await ask(nodes.slice(0, count), seconds);
      const sum = found.get(count) as { reads: number; cpu: number };
      sum.reads += reads;
      sum.cpu += cpu;
    }
  for (const [count, { reads, cpu }] of found) {
    const each = (reads / rounds / seconds).toFixed(0);
    console.log(`${count} ${name}: ${each} reads/s, ${(reads / cpu).toFixed(0)} per CPU second of the nodes`);
  }
}

/** The CPU time and the statements of a follower while one empty block is made per second. */
async function idle(seconds = 30): Promise<void> {
  const cluster = await TestCluster.over(postgres, "idle");
  try {
    const writer = (await cluster.producer("a", undefined, "--block-time", "1s")).launch();
    await writer.reaches(2);
    await pause(5_000);
    const without = await statements("idle", seconds);
    const follower = (await cluster.follower("b")).launch();
    await follower.reaches(((await writer.height()) ?? 0) + 12);
    const before = [cpuSeconds(writer.pid), cpuSeconds(follower.pid)] as const;
    const with_ = await statements("idle", seconds);
    const [made, followed] = [writer, follower].map(
      ({ pid }, i) => (100 * (cpuSeconds(pid) - (before[i] as number))) / seconds,
    ) as [number, number];
    console.log(
      `a follower of a block without transactions each second: ${followed.toFixed(1)} % of a core, ` +
        `${(with_ - without).toFixed(1)} statements a second; its writer ${made.toFixed(1)} % and ${without.toFixed(1)}`,
    );
  } finally {
    await cluster.remove();
  }
}

/** Statements per second executed by a database; each is its own transaction. */
async function statements(database: string, seconds: number): Promise<number> {
  const count = async () => {
    const text = `SELECT xact_commit AS n FROM pg_stat_database WHERE datname = '${database}'`;
    return Number((await postgres.query<{ n: string }>(text))[0]?.n);
  };
  const before = await count();
  await pause(1_000 * seconds);
  return ((await count()) - before) / seconds;
}

/** A writer's record of 1,000 transfers, and the database's load with many of those. */
async function database(): Promise<void> {
  const cluster = await TestCluster.over(postgres, "sample");
  try {
    const writer = (await cluster.producer("a", undefined, "--no-mining")).launch();
    await writer.reaches(0);
    await send(writer, batchesOf(0));
    await mine(writer);
    await writer.end();
  } finally {
    await cluster.remove();
  }
  const [row] = await postgres.query<{ payload: Uint8Array }>("SELECT payload FROM changes_0", "sample");
  await measureDatabase(postgres, row?.payload as Uint8Array);
}
