// Scenarios of a cluster, one after the other over one PostgreSQL server.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { TestCluster } from "../nodes/cluster.ts";
import { compareChains } from "../nodes/compare.ts";
import { addressOf, ClusterLoad, KEYS, transfer } from "../nodes/load.ts";
import { blockOf, until } from "../nodes/waiting.ts";
import { feedersScene } from "./feeders.ts";
import { LEASE_SCENES } from "./lease.ts";
import { MALICE_SCENES } from "./malice.ts";
import type { Scene } from "./scene.ts";
import { SECURITY_SCENES } from "./security.ts";
import { STORAGE_SCENES } from "./storage.ts";

const LEASE = ["--changelog.lease", "3s"];
const PRODUCER_ARGS = ["--block-time", "300ms", "--changelog.durability", "shared", ...LEASE];

/** Parts of the names of scenes in the short set. */
export const SHORT: readonly string[] = ["kill -9", "a follower forwards", "tampered record"];

/** All scenes, by name. */
export const SCENES: Readonly<Record<string, Scene>> = {
  ...SECURITY_SCENES,
  ...STORAGE_SCENES,
  ...MALICE_SCENES,
  ...LEASE_SCENES,
  async "a standby takes over after kill -9, followers see one chain, and the old writer comes back as a standby"(
    postgres,
  ) {
    const cluster = await TestCluster.over(postgres, "failover");
    try {
      const writer = (await cluster.producer("a", undefined, ...PRODUCER_ARGS)).launch();
      await writer.reaches(1);
      const standby = (await cluster.producer("b", undefined, ...PRODUCER_ARGS)).launch("--role", "standby");
      const followers = [
        await cluster.follower("c"),
        await cluster.follower("d", undefined, "--verify", "full"),
      ];
      for (const follower of followers) follower.launch();
      for (const node of [standby, ...followers]) await node.reaches(3);
      const load = new ClusterLoad([writer, standby, ...followers]);
      await writer.reaches(8);
      const killed = Date.now();
      await writer.end("SIGKILL");
      await standby.says("this node writes the chain");
      const before = (await standby.height()) ?? 0;
      await standby.reaches(before + 1);
      const took = Date.now() - killed;
      writer.launch("--role", "standby");
      await standby.reaches(before + 10);
      await load.end();
      const height = (await standby.height()) ?? 0;
      const nodes = [standby, writer, ...followers];
      for (const node of nodes) await node.reaches(height);
      const { blocks, transactions } = await compareChains(nodes, load.acknowledged, postgres, "failover");
      assert.ok(load.acknowledged.size > 0, "nothing was acknowledged");
      return (
        `producing again after ${took} ms with a lease of 3 s; ${blocks} blocks, ${transactions} transactions, ` +
        `${load.acknowledged.size} acknowledged, none lost`
      );
    } finally {
      await cluster.remove();
    }
  },

  async "a writer suspended for longer than its lease is rejected and exits with 75"(postgres) {
    const cluster = await TestCluster.over(postgres, "stalled");
    try {
      const writer = (await cluster.producer("a", undefined, ...PRODUCER_ARGS)).launch();
      await writer.reaches(1);
      const standby = (await cluster.producer("b", undefined, ...PRODUCER_ARGS)).launch("--role", "standby");
      await standby.reaches(2);
      writer.signal("SIGSTOP");
      await standby.says("this node writes the chain");
      await standby.reaches(((await standby.height()) ?? 0) + 1);
      writer.signal("SIGCONT");
      assert.equal(await writer.exits(), 75, writer.output);
      assert.match(writer.output, /LOG_FENCED/);
      const second = await cluster.producer("c", undefined, ...PRODUCER_ARGS);
      second.launch();
      assert.notEqual(await second.exits(), 0);
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "a follower forwards transactions to the writer, has no keys, and reports its progress"(postgres) {
    const cluster = await TestCluster.over(postgres, "follower");
    try {
      const writer = (await cluster.producer("a", undefined, "--block-time", "300ms")).launch();
      await writer.reaches(1);
      const follower = (await cluster.follower("b", undefined, "--rpcapi", "eth,kaia,personal")).launch();
      await follower.reaches(2);
      const [key] = KEYS as [Uint8Array];
      const hash = await follower.call<string>("eth_sendRawTransaction", transfer(key, 0n));
      const height = (await follower.height()) ?? 0;
      await follower.reaches(height + 3);
      const receipt = await follower.call<{ status: string }>("eth_getTransactionReceipt", hash);
      assert.equal(receipt.status, "0x1");
      await assert.rejects(follower.call("eth_sendRawTransaction", transfer(key, 0n)), /nonce too low/);
      await assert.rejects(follower.call("personal_listAccounts"), /does not exist/);
      assert.deepEqual(await follower.call("eth_accounts"), []);
      await assert.rejects(
        follower.call("eth_sendTransaction", { from: addressOf(key), to: addressOf(key) }),
      );
      assert.equal((await fetch(`${follower.url}/ready`)).status, 200);
      await writer.reaches(height + 6);
      const second = await writer.call<string>("eth_sendRawTransaction", transfer(key, 1n));
      const written = await blockOf(writer, second);
      const read = await follower.callFrom<{ status: string }>(written, "eth_getTransactionReceipt", second);
      assert.equal(read.status, "0x1");
      await assert.rejects(follower.callFrom(1_000_000, "eth_blockNumber"), { code: -32_001 });
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "a tampered record is rejected and quarantined, and earlier blocks remain available"(postgres) {
    const cluster = await TestCluster.over(postgres, "poison");
    try {
      const writer = (await cluster.producer("a", undefined, "--block-time", "300ms")).launch();
      const follower = await cluster.follower("b");
      await writer.reaches(1);
      follower.launch();
      await follower.reaches(2);
      await follower.end();
      const before = (await writer.height()) ?? 0;
      await writer.reaches(before + 4);
      const bad = before + 2;
      const [good] = await postgres.query<{ payload: string }>(
        `SELECT encode(payload, 'hex') AS payload FROM changes_0 WHERE height = ${bad}`,
        "poison",
      );
      const damaged =
        "set_byte(payload, octet_length(payload) - 40, get_byte(payload, octet_length(payload) - 40) # 1)";
      await postgres.query(`UPDATE changes_0 SET payload = ${damaged} WHERE height = ${bad}`, "poison");
      follower.launch();
      await follower.reaches(bad - 1);
      await until(() => follower.output.includes("the rejected record is saved"));
      assert.match(follower.output, /a record of the change log is rejected/);
      assert.equal(await follower.height(), bad - 1);
      const ready = await fetch(`${follower.url}/ready`);
      assert.equal(ready.status, 503);
      assert.equal(((await ready.json()) as { code: string }).code, "BAD_RECORD");
      await until(() =>
        readdirSync(join(cluster.folder("b"), "quarantine")).some(
          (name) => name.startsWith(`${bad}-`) && name.endsWith(".payload"),
        ),
      );
      await postgres.query(
        `UPDATE changes_0 SET payload = decode('${good?.payload}', 'hex') WHERE height = ${bad}`,
        "poison",
      );
      await follower.reaches(bad + 1);
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "followers follow a development chain that is rewound, and direct state edits reach them"(postgres) {
    const cluster = await TestCluster.over(postgres, "revert");
    try {
      const writer = (await cluster.producer("a")).launch();
      await writer.reaches(0);
      const follower = (await cluster.follower("b")).launch();
      await follower.reaches(0);
      const snapshot = await writer.call("evm_snapshot");
      await writer.call("hardhat_mine", "0x3");
      await follower.reaches(3);
      await writer.call("evm_revert", snapshot);
      await writer.call("hardhat_setBalance", addressOf(KEYS[1] as Uint8Array), "0x1234");
      await writer.call("evm_increaseTime", 100);
      await writer.call("hardhat_mine", "0x1");
      const { hash } = await writer.call<{ hash: string }>("eth_getBlockByNumber", "0x1", false);
      await until(async () => {
        const block = await follower.call<{ hash: string } | null>("eth_getBlockByNumber", "0x1", false);
        return block?.hash === hash;
      });
      assert.equal(
        await follower.call("eth_getBalance", addressOf(KEYS[1] as Uint8Array), "latest"),
        "0x1234",
      );
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "a writer continues without its database up to max-behind, then waits, and catches up once it is back"(
    postgres,
  ) {
    const cluster = await TestCluster.over(postgres, "outage");
    try {
      const args = ["--block-time", "200ms", "--changelog.max-behind", "12", ...LEASE];
      const writer = (await cluster.producer("a", undefined, ...args)).launch();
      await writer.reaches(2);
      const follower = (await cluster.follower("b")).launch();
      await follower.reaches(2);
      await postgres.end("SIGKILL");
      const before = (await writer.height()) ?? 0;
      await writer.reaches(before + 8);
      await until(async () => (await fetch(`${writer.url}/ready`)).status === 503);
      await pause(3_000);
      const behind = (await writer.height()) ?? 0;
      assert.ok(behind <= before + 14, `${behind - before} blocks without the database`);
      await postgres.launch();
      await writer.reaches(behind + 3);
      await follower.reaches(behind + 3);
      await until(async () => (await fetch(`${writer.url}/ready`)).status === 200);
      await compareChains([writer, follower], new Map(), postgres, "outage");
      return `${behind - before} blocks were sealed without the database`;
    } finally {
      await cluster.remove();
    }
  },

  "a validator and an endpoint feed one log, each down for a while, and every block is recorded once":
    feedersScene,

  async "bad addresses, passwords, schemas and chains are rejected with a message, and nothing is changed"(
    postgres,
  ) {
    const cluster = await TestCluster.over(postgres, "mistakes");
    try {
      const writer = (await cluster.producer("a", undefined, "--block-time", "300ms")).launch();
      await writer.reaches(1);
      const wrong = async (url: string, code: number, text: RegExp) => {
        const node = await cluster.producer(`wrong${cluster.nodes.length}`, url);
        node.launch();
        assert.equal(await node.exits(), code, node.output);
        assert.match(node.output, text);
        assert.doesNotMatch(node.output, /hunter2|:secret@/);
      };
      await wrong("postgres:/kairn:hunter2@nowhere", 78, /invalid database URL/);
      await wrong(postgres.url("mistakes", "kairn:hunter2"), 78, /password authentication failed/);
      await wrong(postgres.url("nothing_there"), 78, /does not exist/);
      const other = await cluster.producer("other", undefined, "--chain-id", "4242");
      other.launch();
      assert.equal(await other.exits(), 78, other.output);
      assert.match(other.output, /carries another chain/);
      await writer.end();
      await postgres.query(`INSERT INTO schema_version (version, name) VALUES (9999, 'later')`, "mistakes");
      await wrong(cluster.url, 78, /version 9999 .* update kairn/);
      await postgres.query(`DELETE FROM schema_version WHERE version = 9999`, "mistakes");
      writer.launch();
      const height = await writer.reaches(1);
      await postgres.query(`UPDATE lease SET height = 1000000`, "mistakes");
      assert.equal(await writer.exits(), 75, writer.output);
      assert.match(writer.output, /edited by hand/);
      const [row] = await postgres.query<{ count: string }>(
        `SELECT COUNT(*) AS count FROM changes_0`,
        "mistakes",
      );
      assert.ok(Number(row?.count) >= height - 1);
      return undefined;
    } finally {
      await cluster.remove();
    }
  },
};
