// Edits the row of the lease by hand while the cluster runs and while it is down: a clear message or no harm, and nothing is lost.
import assert from "node:assert/strict";
import { TestCluster } from "../nodes/cluster.ts";
import type { ClusterNode } from "../nodes/nodes.ts";
import { until } from "../nodes/waiting.ts";
import type { Postgres } from "../servers/postgres.ts";
import type { Scene } from "./scene.ts";

const PRODUCER_ARGS = [
  "--block-time",
  "300ms",
  "--changelog.durability",
  "shared",
  "--changelog.lease",
  "2s",
];
/** What the guide tells operators to do. */
const REPAIR =
  "UPDATE lease SET (height, hash) = (SELECT height, hash FROM changes_0 ORDER BY height DESC LIMIT 1)";

/** An edit of the lease, and its expected effect. */
interface Edit {
  readonly sql: string;
  /** What producers print if they cannot continue; absent = one of them continues sealing blocks without help. */
  readonly says?: RegExp;
  /** What repairs it; absent = a restart of the writer does. */
  readonly repair?: string;
  /** When it is tested; absent = both while the cluster runs and while it is down. */
  readonly only?: "running" | "standing";
}

const sets = (assignments: string) => `UPDATE lease SET ${assignments}`;
const EDITS: Readonly<Record<string, Edit>> = {
  "a later epoch": { sql: sets("epoch = epoch + 5") },
  "the first epoch": { sql: sets("epoch = 0") },
  "the last epoch there can be": {
    sql: sets("epoch = 9223372036854775807"),
    says: /there is no greater epoch than that of the lease/,
    repair: sets("epoch = 1"),
  },
  "another holder": { sql: sets("holder = 'somebody'") },
  "no holder": { sql: sets("holder = ''") },
  "an invalid address": { sql: sets("url = 'ftp://nowhere'") },
  "an expired lease": { sql: sets("until = '-infinity'") },
  // While there is no writer, standbys wait ten minutes for it, which another test shows.
  "a lease without end": { sql: sets("until = 'infinity'"), only: "running" },
  "a height beyond the last record": {
    sql: sets("height = height + 1000"),
    says: /which is to end with block \d+: are rows gone, or was its lease edited by hand/,
    repair: REPAIR,
  },
  "an earlier height with its hash": {
    sql: sets("(height, hash) = (SELECT height, hash FROM changes_0 ORDER BY height DESC LIMIT 1 OFFSET 4)"),
    says: /there are records above it: was it edited by hand/,
    repair: REPAIR,
  },
  "an earlier height with another hash": {
    sql: sets("height = height - 2"),
    says: /the record of that height is of 0x[0-9a-f]{64}: was it edited by hand/,
    repair: REPAIR,
  },
  "a negative height": {
    sql: sets("height = -1"),
    says: /the height of the lease is -1/,
    repair: REPAIR,
  },
  "another hash": {
    sql: sets("hash = '\\x1234'"),
    says: /names 0x1234 as block \d+, and the record of that height is of 0x[0-9a-f]{64}: was it edited/,
    repair: REPAIR,
  },
  "a later start": { sql: sets("first = height") },
  "a start after the end": {
    sql: sets("first = height + 1000"),
    says: /as the newest one, and \d+ as the oldest: was it edited by hand/,
    repair: sets("first = 1"),
    only: "standing",
  },
  "no row": { sql: "DELETE FROM lease", says: /the row of the lease is gone/ },
};

/** All scenes, by name. */
export const LEASE_SCENES: Readonly<Record<string, Scene>> = {
  async "a lease edited by hand while the cluster runs"(postgres) {
    return edited(postgres, "lease_running", true);
  },
  async "a lease edited by hand while there is no writer"(postgres) {
    return edited(postgres, "lease_standing", false);
  },
};

async function edited(postgres: Postgres, database: string, isRunning: boolean): Promise<string> {
  const cluster = await TestCluster.over(postgres, database);
  try {
    const first = (await cluster.producer("a", undefined, ...PRODUCER_ARGS)).launch();
    await first.reaches(3);
    const producers = [first, await cluster.producer("b", undefined, ...PRODUCER_ARGS)];
    const follower = (await cluster.follower("c")).launch();
    const edits = Object.entries(EDITS).filter(
      ([, { only }]) => only === undefined || (only === "running") === isRunning,
    );
    for (const [name, edit] of edits) {
      try {
        await play({ producers, follower, isRunning, run: (text) => postgres.query(text, database) }, edit);
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return `${edits.length} edits`;
  } finally {
    await cluster.remove();
  }
}

/** Edits the lease, checks the effect, repairs it, and checks that no block is lost. */
async function play(
  {
    producers,
    follower,
    isRunning,
    run,
  }: {
    readonly producers: readonly ClusterNode[];
    readonly follower: ClusterNode;
    readonly isRunning: boolean;
    run(text: string): Promise<unknown>;
  },
  { sql, says, repair }: Edit,
): Promise<void> {
  const launch = () => {
    for (const producer of producers) if (!producer.isRunning) producer.launch("--role", "standby");
  };
  launch();
  const height = ((await follower.height()) ?? 0) + 3;
  await follower.reaches(height);
  const { hash } = await block(follower, height);
  if (!isRunning) for (const producer of producers) await producer.end();
  const before = (await follower.height()) ?? 0;
  await run(sql);
  if (!isRunning) launch();
  if (says) {
    const words = () => producers.some(({ output }) => says.test(output));
    await until(words);
    for (const producer of producers)
      if (!producer.isRunning) assert.equal(await producer.exits(), 75, producer.output);
    assert.ok(follower.isRunning && ((await follower.height()) ?? 0) >= before, follower.output);
    if (repair) await run(repair);
    else await producers[0]?.end();
  }
  // Nodes that exited are restarted, as a service manager would.
  if (says && !repair) producers[0]?.launch();
  for (let next = before + 4; ((await follower.height()) ?? 0) < next; await follower.reaches(before))
    launch();
  for (const node of [...producers.filter((producer) => producer.isRunning), follower]) {
    await node.reaches(height);
    assert.equal((await block(node, height)).hash, hash);
  }
}

function block(node: ClusterNode, height: number): Promise<{ readonly hash: string }> {
  return node.call("eth_getBlockByNumber", `0x${height.toString(16)}`, false);
}
