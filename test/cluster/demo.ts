// `npm run cluster`: a PostgreSQL, a writer, a standby and two followers on this machine, and a client that spreads its reads over
// them and shows how far each is. `-- --seconds N` ends it after so long; Ctrl-C at any time.
import { setTimeout as pause } from "node:timers/promises";
import { TestCluster } from "./cluster.ts";
import { addressOf, ClusterLoad, KEYS } from "./load.ts";
import { findPostgres, HOW_TO_INSTALL, Postgres } from "./postgres.ts";

const SHOWN_MS = 1_000;
const READS_AT_ONCE = 4;

const programs = findPostgres();
if (programs === undefined) {
  console.error(`cluster: ${HOW_TO_INSTALL}`);
  process.exit(1);
}
const at = process.argv.indexOf("--seconds");
const until = at < 0 ? Number.POSITIVE_INFINITY : Date.now() + 1_000 * Number(process.argv[at + 1]);
let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isEnding = true;
  });

const postgres = await Postgres.start(programs);
const cluster = await TestCluster.over(postgres, "chain");
try {
  const maker = ["--block-time", "1s", "--changelog.durability", "shared"];
  const writer = (await cluster.maker("writer", undefined, ...maker)).launch();
  await writer.reaches(0);
  const standby = (await cluster.maker("standby", undefined, ...maker)).launch("--role", "standby");
  const followers = [await cluster.follower("follower-1"), await cluster.follower("follower-2")];
  for (const follower of followers) follower.launch();
  for (const node of [standby, ...followers]) await node.reaches(0);
  console.log(`database    ${postgres.url("chain", "kairn")}`);
  for (const [name, node] of Object.entries({
    writer,
    standby,
    "follower 1": followers[0],
    "follower 2": followers[1],
  }))
    console.log(`${name.padEnd(11)} ${node?.url}   process ${node?.pid}`);
  console.log(`\nkill -9 ${writer.pid} shows the standby take over. Ctrl-C ends all.\n`);
  const nodes = [writer, standby, ...followers];
  const load = new ClusterLoad(nodes);
  const reads = nodes.map(() => 0);
  const reading = nodes.slice(2).flatMap((node, i) =>
    Array.from({ length: READS_AT_ONCE }, async () => {
      while (!isEnding) {
        await node.call("eth_getBalance", addressOf(KEYS[0] as Uint8Array), "latest").catch(() => pause(100));
        reads[i + 2] = (reads[i + 2] ?? 0) + 1;
      }
    }),
  );
  while (!isEnding && Date.now() < until) {
    reads.fill(0);
    await pause(SHOWN_MS);
    const heights = await Promise.all(nodes.map((node) => node.height()));
    const head = Math.max(...heights.map((height) => height ?? 0));
    const shown = heights.map((height, i) => {
      const name = ["writer", "standby", "follower 1", "follower 2"][i];
      const rate = i < 2 ? "" : `, ${reads[i]} reads/s`;
      return `${name}: ${height === undefined ? "does not answer" : `${height} (-${head - height}${rate})`}`;
    });
    console.log(`${shown.join("   ")}   receipts: ${load.acknowledged.size}`);
  }
  isEnding = true;
  await Promise.all([load.end(), ...reading]);
} finally {
  await cluster.remove();
  await postgres.remove();
}
