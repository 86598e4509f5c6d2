// A database whose rows somebody has changed to do harm: followers serve what was right, in bounded memory, and go on once it is mended.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TestCluster } from "./cluster.ts";
import type { Scene } from "./scene.ts";
import { until } from "./waiting.ts";

/** Memory that a follower may have over any of them. */
const MOST = 700 << 20;

/** All of them, by name. */
export const MALICE_SCENES: Readonly<Record<string, Scene>> = {
  async "rows that are too large, of another parent, of a later epoch or not there hold a follower up, and no more"(
    postgres,
  ) {
    const cluster = await TestCluster.over(postgres, "malice");
    try {
      const writer = (await cluster.maker("a", undefined, "--no-mining")).launch();
      await writer.reaches(0);
      const follower = (await cluster.follower("b")).launch();
      await follower.reaches(0);
      const run = (text: string) => postgres.query(text, "malice");
      let [height, most] = [0, 0];
      const lies: Readonly<Record<string, (at: number) => string>> = {
        "an oversized payload": (at) =>
          `UPDATE changes_0 SET payload = decode(repeat('ab', ${70 << 20}), 'hex') WHERE height = ${at}`,
        "an oversized hash": (at) =>
          `UPDATE changes_0 SET hash = decode(repeat('ab', 20000000), 'hex') WHERE height = ${at}`,
        "another parent": (at) => `UPDATE changes_0 SET parent_hash = hash WHERE height = ${at}`,
        "another root": (at) => `UPDATE changes_0 SET state_root = hash WHERE height = ${at}`,
        "a later epoch": (at) => `UPDATE changes_0 SET epoch = 9000000000000000000 WHERE height = ${at}`,
        "no payload": (at) => `UPDATE changes_0 SET payload = '' WHERE height = ${at}`,
        "no row": (at) => `DELETE FROM changes_0 WHERE height = ${at}`,
      };
      for (const [name, lie] of Object.entries(lies)) {
        height++;
        await run("UPDATE lease SET url = repeat('x', 3000000), holder = repeat('y', 3000000)");
        await follower.end();
        await writer.call("evm_mine");
        await until(async () => {
          const [row] = (await run(`SELECT COUNT(*) AS n FROM changes_0 WHERE height = ${height}`)) as {
            n: string;
          }[];
          return Number(row?.n) === 1;
        });
        await run(`CREATE TABLE good AS SELECT * FROM changes_0 WHERE height = ${height}`);
        await run(lie(height));
        follower.launch();
        await follower.reaches(height - 1);
        await until(async () => (await fetch(`${follower.url}/ready`)).status === 503);
        assert.equal(await follower.height(), height - 1, name);
        most = Math.max(most, memoryOf(follower.pid));
        await run(
          `DELETE FROM changes_0 WHERE height = ${height}; INSERT INTO changes_0 SELECT * FROM good; DROP TABLE good`,
        );
        await follower.reaches(height);
      }
      assert.ok(most < MOST, `${most >> 20} MiB`);
      return `${Object.keys(lies).length} lies, at most ${most >> 20} MiB in memory`;
    } finally {
      await cluster.remove();
    }
  },
};

/** Bytes of a process in memory. */
function memoryOf(pid: number): number {
  return 1_024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}
