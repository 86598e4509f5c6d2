// `npx tsx test/cluster/measure.ts [lag|append|reads]`: the figures of docs/scale.md. It needs the built program and a PostgreSQL.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { TestCluster } from "./cluster.ts";
import { addressOf, KEYS, transfer } from "./load.ts";
import type { ClusterNode } from "./nodes.ts";
import { findPostgres, Postgres } from "./postgres.ts";

const what = process.argv[2] ?? "lag";
const TICKS_PER_SECOND = 100;

const postgres = await Postgres.start(findPostgres() as string);
try {
  if (what === "lag") await lag();
  else if (what === "append") await append();
  else await reads();
} finally {
  await postgres.remove();
}

/** Processor seconds of a process so far, its threads included. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Sends transfers of all accounts as batches. */
async function sendAll(node: ClusterNode, from: bigint, perKey: number): Promise<void> {
  for (const key of KEYS) {
    const calls = Array.from({ length: perKey }, (_, i) => ({
      ...{ jsonrpc: "2.0", id: i, method: "kaia_sendRawTransaction" },
      params: [transfer(key, from + BigInt(i))],
    }));
    await fetch(node.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls),
    }).then((response) => response.text());
  }
}

/** One block a second of some 1,000 transfers: how long after the writer a follower has it, by polling both every 2 ms. */
async function lag(seconds = 40): Promise<void> {
  const cluster = await TestCluster.over(postgres, "lag");
  try {
    const writer = (await cluster.maker("a", undefined, "--block-time", "1s")).launch();
    await writer.reaches(1);
    const follower = (await cluster.follower("b")).launch();
    await follower.reaches(2);
    const seen = new Map<number, { writer?: number; follower?: number }>();
    let isOver = false;
    const watch = async (node: ClusterNode, name: "writer" | "follower") => {
      for (let last = 0; !isOver; await pause(2)) {
        const height = (await node.height()) ?? last;
        for (let number = last === 0 ? height : last + 1; number <= height; number++)
          seen.set(number, { ...seen.get(number), [name]: performance.now() });
        last = height;
      }
    };
    const watching = [watch(writer, "writer"), watch(follower, "follower")];
    for (let i = 0; i < seconds; i++) {
      const begun = performance.now();
      await sendAll(writer, BigInt(i * 250), 250);
      await pause(Math.max(0, 1_000 - (performance.now() - begun)));
    }
    isOver = true;
    await Promise.all(watching);
    const lags = [...seen.values()].flatMap(({ writer, follower }) =>
      writer !== undefined && follower !== undefined ? [Math.max(0, follower - writer)] : [],
    );
    lags.sort((a, b) => a - b);
    const block = await writer.call<{ transactions: unknown[] }>("eth_getBlockByNumber", "latest", false);
    const at = (share: number) => lags[Math.floor(share * (lags.length - 1))]?.toFixed(0);
    console.log(
      `lag of a follower over ${lags.length} blocks (the last one of ${block.transactions.length} transactions): p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`,
    );
  } finally {
    await cluster.remove();
  }
}

/** Processor time of a writer per transaction with and without a change log, by turns. */
async function append(rounds = 3, batches = 12): Promise<void> {
  const results: { with: number[]; without: number[] } = { with: [], without: [] };
  for (let round = 0; round < rounds; round++)
    for (const kind of ["without", "with"] as const) {
      const cluster = await TestCluster.over(postgres, `append_${kind}_${round}`);
      try {
        const writer = kind === "with" ? await cluster.maker("a") : await cluster.alone("a");
        writer.launch();
        await writer.reaches(0);
        await sendAll(writer, 0n, 250);
        await pause(1_500);
        const before = cpuSeconds(writer.pid);
        for (let i = 1; i <= batches; i++) await sendAll(writer, BigInt(i * 250), 250);
        const total = (batches + 1) * 250;
        for (const key of KEYS)
          while (Number(await writer.call("eth_getTransactionCount", addressOf(key), "latest")) < total)
            await pause(20);
        await pause(500);
        results[kind].push(((cpuSeconds(writer.pid) - before) * 1e6) / (batches * 1_000));
      } finally {
        await cluster.remove();
      }
    }
  const median = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[values.length >> 1] as number;
  const [plain, logged] = [median(results.without), median(results.with)];
  console.log(
    `processor time per transaction, median of ${rounds} turns: ${plain.toFixed(0)} µs without, ${logged.toFixed(0)} µs with a change log: ${(100 * (logged / plain - 1)).toFixed(1)} % more`,
  );
  console.log(JSON.stringify(results));
}

/** `eth_getBalance` from 1, 2 and 4 followers by processor second of theirs. */
async function reads(seconds = 8): Promise<void> {
  const cluster = await TestCluster.over(postgres, "reads");
  try {
    const writer = (await cluster.maker("a", undefined, "--block-time", "1s")).launch();
    await writer.reaches(1);
    const followers: ClusterNode[] = [];
    for (const name of ["b", "c", "d", "e"]) followers.push((await cluster.follower(name)).launch());
    for (const follower of followers) await follower.reaches(2);
    for (const count of [1, 2, 4]) {
      const asked = followers.slice(0, count);
      const before = asked.map(({ pid }) => cpuSeconds(pid));
      let done = 0;
      const end = Date.now() + 1_000 * seconds;
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getBalance",
        params: [addressOf(KEYS[0] as Uint8Array), "latest"],
      };
      const body = JSON.stringify(Array.from({ length: 50 }, () => call));
      await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const node = asked[i % count] as ClusterNode;
          while (Date.now() < end) {
            const answer = await fetch(node.url, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body,
            });
            await answer.text();
            done += 50;
          }
        }),
      );
      const cpu = asked.reduce((sum, { pid }, i) => sum + cpuSeconds(pid) - (before[i] ?? 0), 0);
      console.log(
        `${count} followers: ${(done / seconds).toFixed(0)} reads/s, ${(done / cpu).toFixed(0)} per processor second of the followers`,
      );
    }
  } finally {
    await cluster.remove();
  }
}
