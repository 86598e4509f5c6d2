// The row of the lease, edited by hand while the cluster runs and while it stands: a clear word or no harm, and nothing is lost.
import assert from "node:assert/strict";
import { TestCluster } from "../nodes/cluster.ts";
import type { ClusterNode } from "../nodes/nodes.ts";
import { until } from "../nodes/waiting.ts";
import type { Postgres } from "../servers/postgres.ts";
import type { Scene } from "./scene.ts";

const MAKER = ["--block-time", "300ms", "--changelog.durability", "shared", "--changelog.lease", "2s"];
/** What the guide tells operators to do. */
const MENDED =
  "UPDATE lease SET (height, hash) = (SELECT height, hash FROM changes_0 ORDER BY height DESC LIMIT 1)";

/** An edit of the lease, and what comes of it. */
interface Edit {
  readonly sql: string;
  /** What the makers say who cannot go on; absent = one of them goes on making blocks without any help. */
  readonly says?: RegExp;
  /** What mends it; absent = a start of the writer does. */
  readonly mended?: string;
  /** Where it is played; absent = while the cluster runs, and while nobody writes. */
  readonly only?: "running" | "standing";
}

const sets = (assignments: string) => `UPDATE lease SET ${assignments}`;
const EDITS: Readonly<Record<string, Edit>> = {
  "a later epoch": { sql: sets("epoch = epoch + 5") },
  "the first epoch": { sql: sets("epoch = 0") },
  "the last epoch there can be": {
    sql: sets("epoch = 9223372036854775807"),
    says: /there is no greater epoch than that of the lease/,
    mended: sets("epoch = 1"),
  },
  "another holder": { sql: sets("holder = 'somebody'") },
  "no holder": { sql: sets("holder = ''") },
  "an address that is none": { sql: sets("url = 'ftp://nowhere'") },
  "a lease that is over": { sql: sets("until = '-infinity'") },
  // While nobody writes, standbys wait ten minutes for it, which a test of its own shows.
  "a lease without end": { sql: sets("until = 'infinity'"), only: "running" },
  "a height that is not there yet": {
    sql: sets("height = height + 1000"),
    says: /which is to end with block \d+: are rows gone, or was its lease edited by hand/,
    mended: MENDED,
  },
  "an earlier height with its hash": {
    sql: sets("(height, hash) = (SELECT height, hash FROM changes_0 ORDER BY height DESC LIMIT 1 OFFSET 4)"),
    says: /there are records above it: was it edited by hand/,
    mended: MENDED,
  },
  "an earlier height with another hash": {
    sql: sets("height = height - 2"),
    says: /the record of that height is of 0x[0-9a-f]{64}: was it edited by hand/,
    mended: MENDED,
  },
  "a negative height": {
    sql: sets("height = -1"),
    says: /the height of the lease is -1/,
    mended: MENDED,
  },
  "another hash": {
    sql: sets("hash = '\\x1234'"),
    says: /names 0x1234 as block \d+, and the record of that height is of 0x[0-9a-f]{64}: was it edited/,
    mended: MENDED,
  },
  "a later beginning": { sql: sets("first = height") },
  "a beginning after the end": {
    sql: sets("first = height + 1000"),
    says: /as the newest one, and \d+ as the oldest: was it edited by hand/,
    mended: sets("first = 1"),
    only: "standing",
  },
  "no row": { sql: "DELETE FROM lease", says: /the row of the lease is gone/ },
};

/** All of them, by name. */
export const LEASE_SCENES: Readonly<Record<string, Scene>> = {
  async "a lease that is edited by hand while the cluster runs"(postgres) {
    return edited(postgres, "lease_running", true);
  },
  async "a lease that is edited by hand while nobody writes"(postgres) {
    return edited(postgres, "lease_standing", false);
  },
};

async function edited(postgres: Postgres, database: string, isRunning: boolean): Promise<string> {
  const cluster = await TestCluster.over(postgres, database);
  try {
    const first = (await cluster.maker("a", undefined, ...MAKER)).launch();
    await first.reaches(3);
    const makers = [first, await cluster.maker("b", undefined, ...MAKER)];
    const follower = (await cluster.follower("c")).launch();
    const edits = Object.entries(EDITS).filter(
      ([, { only }]) => only === undefined || (only === "running") === isRunning,
    );
    for (const [name, edit] of edits) {
      try {
        await play({ makers, follower, isRunning, run: (text) => postgres.query(text, database) }, edit);
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return `${edits.length} edits`;
  } finally {
    await cluster.remove();
  }
}

/** Edits the lease, sees what comes of it, mends it, and sees that no block has gone. */
async function play(
  {
    makers,
    follower,
    isRunning,
    run,
  }: {
    readonly makers: readonly ClusterNode[];
    readonly follower: ClusterNode;
    readonly isRunning: boolean;
    run(text: string): Promise<unknown>;
  },
  { sql, says, mended }: Edit,
): Promise<void> {
  const launch = () => {
    for (const maker of makers) if (!maker.isRunning) maker.launch("--role", "standby");
  };
  launch();
  const height = ((await follower.height()) ?? 0) + 3;
  await follower.reaches(height);
  const { hash } = await block(follower, height);
  if (!isRunning) for (const maker of makers) await maker.end();
  const before = (await follower.height()) ?? 0;
  await run(sql);
  if (!isRunning) launch();
  if (says) {
    const words = () => makers.some(({ output }) => says.test(output));
    await until(words);
    for (const maker of makers) if (!maker.isRunning) assert.equal(await maker.exits(), 75, maker.output);
    assert.ok(follower.isRunning && ((await follower.height()) ?? 0) >= before, follower.output);
    if (mended) await run(mended);
    else await makers[0]?.end();
  }
  // Whoever has ended is started again, as a service manager would.
  if (says && !mended) makers[0]?.launch();
  for (let next = before + 4; ((await follower.height()) ?? 0) < next; await follower.reaches(before))
    launch();
  for (const node of [...makers.filter((maker) => maker.isRunning), follower]) {
    await node.reaches(height);
    assert.equal((await block(node, height)).hash, hash);
  }
}

function block(node: ClusterNode, height: number): Promise<{ readonly hash: string }> {
  return node.call("eth_getBlockByNumber", `0x${height.toString(16)}`, false);
}
