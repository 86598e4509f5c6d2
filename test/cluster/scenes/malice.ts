// A database with maliciously changed rows: followers serve what was valid, in bounded memory, and continue once it is repaired.
import assert from "node:assert/strict";
import { decodeChange, encodeChange } from "../../../src/network/cluster/record/change-codec.ts";
import { recordChecksum } from "../../../src/network/cluster/record/record-checksum.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { TestCluster } from "../nodes/cluster.ts";
import { addressOf, KEYS, transfer } from "../nodes/load.ts";
import { peakBytes } from "../nodes/processes.ts";
import { until } from "../nodes/waiting.ts";
import type { Postgres } from "../servers/postgres.ts";
import type { Scene } from "./scene.ts";

/** Maximum memory of a follower. */
const MAX = 700 << 20;

/** All scenes, by name. */
export const MALICE_SCENES: Readonly<Record<string, Scene>> = {
  async "a record with forged senders is reported, and never served"(postgres) {
    const cluster = await TestCluster.over(postgres, "senders");
    try {
      const writer = (await cluster.producer("a", undefined, "--no-mining")).launch();
      await writer.reaches(0);
      const follower = await cluster.follower("b");
      const [ann, ben] = KEYS as [Uint8Array, Uint8Array];
      const each = 150;
      for (const key of [ann, ben])
        for (let i = 0; i < each; i++) await writer.call("eth_sendRawTransaction", transfer(key, BigInt(i)));
      follower.launch();
      await follower.reaches(0);
      await follower.end();
      await writer.call("evm_mine");
      await until(async () => (await recordOf(postgres, "senders", 1)) !== undefined);
      const record = (await recordOf(postgres, "senders", 1)) as StoredRecord;
      const change = decodeChange(record.payload, keccak256);
      const payload = encodeChange({ ...change, senders: change.senders.toReversed() });
      const checksum = recordChecksum(
        { height: 1n, hash: record.hash, parentHash: record.parent_hash, stateRoot: record.state_root },
        payload,
      );
      const sets = `payload = '\\x${hex(payload)}', checksum = '\\x${hex(checksum)}'`;
      await postgres.query(`UPDATE changes_0 SET ${sets} WHERE height = 1`, "senders");
      follower.launch();
      // Queried while waiting for the block, before its senders are recovered, and again afterwards.
      for (const isFirst of [true, false]) {
        const block = await waited(() =>
          follower.callFrom<{ transactions: { from: string; hash: string }[] }>(
            1,
            "eth_getBlockByNumber",
            "0x1",
            true,
          ),
        );
        const right = await writer.call<typeof block>("eth_getBlockByNumber", "0x1", true);
        assert.deepEqual(block.transactions, right.transactions, `${isFirst}`);
        for (const [i, key] of [ann, ben].entries()) {
          const asked = ["kaia_getTransactionsBySender", addressOf(key), "0x0", "0x64"] as const;
          const [own, theirs] = [await follower.call(...asked), await writer.call(...asked)];
          assert.deepEqual(own, theirs, `sent by ${i}`);
        }
        if (isFirst) await follower.says("was not sent by");
      }
      await follower.says("the rejected record is saved");
      assert.equal((await fetch(`${follower.url}/ready`)).status, 200);
      await writer.call("evm_mine");
      await follower.reaches(2);
      return `${2 * each} transactions with forged senders`;
    } finally {
      await cluster.remove();
    }
  },

  async "oversized, mislinked, missing and later-epoch rows stop a follower, without other harm"(postgres) {
    const cluster = await TestCluster.over(postgres, "malice");
    try {
      const writer = (await cluster.producer("a", undefined, "--no-mining")).launch();
      await writer.reaches(0);
      const follower = (await cluster.follower("b")).launch();
      await follower.reaches(0);
      const run = (text: string) => postgres.query(text, "malice");
      let [height, max] = [0, 0];
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
        max = Math.max(max, peakBytes(follower.pid));
        await run(
          `DELETE FROM changes_0 WHERE height = ${height}; INSERT INTO changes_0 SELECT * FROM good; DROP TABLE good`,
        );
        await follower.reaches(height);
      }
      assert.ok(max < MAX, `${max >> 20} MiB`);
      return `${Object.keys(lies).length} lies, at most ${max >> 20} MiB in memory`;
    } finally {
      await cluster.remove();
    }
  },
};

interface StoredRecord {
  readonly payload: Uint8Array;
  readonly hash: Uint8Array;
  readonly parent_hash: Uint8Array;
  readonly state_root: Uint8Array;
}

async function recordOf(
  postgres: Postgres,
  database: string,
  height: number,
): Promise<StoredRecord | undefined> {
  const text = `SELECT payload, hash, parent_hash, state_root FROM changes_0 WHERE height = ${height}`;
  return (await postgres.query<StoredRecord & Record<string, unknown>>(text, database))[0];
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** The response to a call, once the node responds. */
async function waited<T>(call: () => Promise<T>): Promise<T> {
  let answer: T | undefined;
  await until(async () => {
    answer = await call().catch(() => undefined);
    return answer !== undefined;
  });
  return answer as T;
}
