// Permissions: roles of the database, encrypted connections, unwanted chains, standbys that must not write yet.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PostgresConnection } from "../../../src/network/cluster/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/network/cluster/postgres/database-url.ts";
import { TestCluster } from "../nodes/cluster.ts";
import { compareChains } from "../nodes/compare.ts";
import { addressOf, KEYS, transfer } from "../nodes/load.ts";
import { blockOf, until } from "../nodes/waiting.ts";
import { makeCertificate } from "../servers/certificates.ts";
import { findPostgres, Postgres } from "../servers/postgres.ts";
import { TcpProxy } from "../servers/tcp-proxy.ts";
import type { Scene } from "./scene.ts";

const SHARED = ["--changelog.durability", "shared"];
const STILL = "--no-mining";
const SQL = fileURLToPath(new URL("../../../ops/sql/", import.meta.url));

/** All scenes, by name. */
export const SECURITY_SCENES: Readonly<Record<string, Scene>> = {
  async "a standby of a development chain rejects direct edits until it is the writer"(postgres) {
    const cluster = await TestCluster.over(postgres, "standby_methods");
    try {
      const writer = (await cluster.producer("a", undefined, STILL, "--changelog.lease", "2s")).launch();
      await writer.reaches(0);
      const standby = await cluster.producer("b", undefined, STILL, "--changelog.lease", "2s");
      standby.launch("--role", "standby");
      await standby.reaches(0);
      const [account] = [addressOf(KEYS[0] as Uint8Array)];
      const calls: readonly (readonly [string, ...unknown[]])[] = [
        ["evm_mine"],
        ["hardhat_mine", "0x2"],
        ["anvil_setBalance", account, "0x1"],
        ["hardhat_setNonce", account, "0x7"],
        ["evm_increaseTime", 100],
        ["evm_snapshot"],
        ["evm_revert", "0x1"],
        ["hardhat_reset"],
        ["anvil_rollback"],
        ["miner_start"],
        ["debug_setHead", "0x0"],
        ["eth_sendUnsignedTransaction", { from: account, to: account }],
      ];
      for (const [method, ...params] of calls)
        await assert.rejects(standby.call(method, ...params), {
          code: -32_000,
          message: /standby of a change log: only its writer/,
        });
      assert.equal(await standby.height(), 0);
      await standby.call("anvil_nodeInfo");
      assert.equal(await standby.call("hardhat_getAutomine"), false);
      const loaded = await cluster.producer(
        "c",
        undefined,
        STILL,
        "--load-state",
        join(cluster.folder("a"), "none"),
      );
      loaded.launch("--role", "standby");
      assert.notEqual(await loaded.exits(), 0);
      assert.match(loaded.output, /only its writer may change/);
      await writer.end("SIGKILL");
      await standby.says("this node writes the chain");
      await standby.call("evm_mine");
      await standby.reaches(1);
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "blocks missing in the database are not served, by a returning writer or as a standby"(postgres) {
    const direct = await postgres.createDatabase("unlogged");
    const proxy = await TcpProxy.start(postgres.port);
    const cluster = new TestCluster(direct);
    try {
      const through = postgres.url("unlogged", undefined, proxy.port);
      const node = await cluster.producer("a", through, STILL, ...SHARED, "--changelog.lease", "15s");
      const [key] = KEYS as [Uint8Array];
      const unlogged = async () => {
        proxy.mode = "silent";
        node.call("evm_mine").catch(() => {});
        await pause(1_000); // until it is on the local disk
        assert.equal(await node.height(), 2);
        await node.end("SIGKILL");
        proxy.cut();
        proxy.mode = "clear";
      };
      node.launch();
      await node.reaches(0);
      await node.call("hardhat_mine", "0x2");
      await node.reaches(2);
      await node.call("eth_sendRawTransaction", transfer(key, 0n));
      await unlogged();
      node.launch("--role", "standby");
      assert.equal(await node.reaches(0), 2);
      assert.match(node.output, /blocks gave way to those of the change log/);
      await node.end("SIGKILL");
      node.launch();
      await node.reaches(2);
      await unlogged();
      node.launch();
      const height = await node.reaches(0);
      const [lease] = await postgres.query<{ height: string }>("SELECT height FROM lease", "unlogged");
      assert.equal(height, 3);
      assert.equal(Number(lease?.height), 3);
      return undefined;
    } finally {
      proxy.close();
      await cluster.remove();
    }
  },

  async "a follower with an empty folder accepts only the expected genesis and snapshot"(postgres) {
    const cluster = await TestCluster.over(postgres, "wanted");
    try {
      const writer = (await cluster.producer("a", undefined, STILL)).launch();
      await writer.says("a snapshot for new followers");
      const { hash: genesis } = await writer.call<{ hash: string }>("eth_getBlockByNumber", "0x0", false);
      const sha256 = /sha256=("?)(0x[0-9a-f]{64})\1/.exec(writer.output)?.[2] as string;
      const other = `0x${"11".repeat(32)}`;
      for (const [i, [wanted, code, text]] of (
        [
          [["--changelog.genesis", other], 78, /carries another chain/],
          [["--changelog.genesis", genesis, "--changelog.snapshot-sha256", other], 75, /its SHA-256 is 0x/],
        ] as const
      ).entries()) {
        const follower = await cluster.follower(`refuses${i}`, undefined, ...wanted);
        follower.launch();
        assert.equal(await follower.exits(), code, follower.output);
        assert.match(follower.output, text);
        assert.equal(existsSync(join(cluster.folder(`refuses${i}`), "chaindata")), false);
      }
      const right = ["--changelog.genesis", genesis, "--changelog.snapshot-sha256", sha256];
      const follower = (await cluster.follower("takes", undefined, ...right)).launch();
      await follower.reaches(0);
      await follower.end();
      follower.launch("--changelog.genesis", other);
      assert.equal(await follower.exits(), 78, follower.output);
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "each role of a node has the rights of ops/sql and no more"(postgres) {
    const owner = await postgres.createDatabase("rights");
    const roles = ["writer", "follower", "reader"].map((role) => `kairn_${role}`);
    const run = (text: string, user?: string) => postgres.query<{ n: unknown }>(text, "rights", user);
    await run(readFileSync(join(SQL, "roles.sql"), "utf8"));
    for (const role of roles) await run(`ALTER ROLE ${role} PASSWORD 'secret'`);
    const as = (role: string) => postgres.url("rights", `kairn_${role}:secret`);
    const cluster = new TestCluster(owner);
    try {
      const writer = (await cluster.producer("a", as("writer"), "--block-time", "300ms")).launch(
        "--sql",
        as("writer"),
      );
      await writer.reaches(1);
      const follower = (await cluster.follower("b", as("follower"))).launch();
      await follower.reaches(3);
      await run(readFileSync(join(SQL, "reader.sql"), "utf8"), "kairn_writer:secret");
      await until(
        async () => Number((await run("SELECT COUNT(*) AS n FROM blocks", "kairn_reader:secret"))[0]?.n) > 1,
      );
      const denied = async (role: string, statements: readonly string[]) => {
        for (const text of statements)
          await assert.rejects(run(text, `kairn_${role}:secret`), { code: "LOG_RIGHTS" }, `${role}: ${text}`);
      };
      const writing = [
        "UPDATE lease SET epoch = epoch + 1",
        "DELETE FROM changes_0",
        "INSERT INTO snapshots (height, part, parts, hash, file, sha256, bytes) VALUES (1, 0, 1, '', 'a', '', '')",
        "CREATE TABLE more (id INT)",
        "UPDATE blocks SET hash = ''",
        "DROP TABLE changes_0",
      ];
      await denied("follower", writing);
      await denied("reader", [
        ...writing,
        "SELECT height FROM changes_0",
        "SELECT url FROM lease",
        "SELECT part FROM snapshots",
      ]);
      await denied("writer", ["CREATE ROLE another", "CREATE DATABASE another"]);
      await compareChains([writer, follower], new Map(), postgres, "rights");
      return undefined;
    } finally {
      await cluster.remove();
    }
  },

  async "writer and follower over TLS: nothing is sent in plain text, and no other certificate is accepted"() {
    const postgres = await Postgres.start(findPostgres() as string, { hasTls: true });
    const cluster = await TestCluster.over(postgres, "tls");
    try {
      const { certificate } = postgres.certificate as { certificate: string };
      const url = (host: string, trusted?: string) =>
        `postgres://kairn:secret@${host}:${postgres.port}/tls?sslmode=verify-full${trusted ? `&sslrootcert=${trusted}` : ""}`;
      const writer = (
        await cluster.producer("a", url("localhost", certificate), "--block-time", "300ms")
      ).launch();
      await writer.reaches(1);
      const follower = (await cluster.follower("b", url("127.0.0.1", certificate))).launch();
      const [key] = KEYS as [Uint8Array];
      await follower.reaches(
        await blockOf(writer, await writer.call("eth_sendRawTransaction", transfer(key, 0n))),
      );
      const clear = await postgres.query<{ application_name: string }>(
        "SELECT a.application_name FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) WHERE a.application_name LIKE 'kairn %' AND NOT s.ssl",
      );
      assert.deepEqual(clear, []);
      const { certificate: another } = makeCertificate(cluster.folder("a"), "another");
      for (const trusted of [undefined, another]) {
        const address = parseDatabaseUrl(url("localhost", trusted));
        const ca = trusted === undefined ? undefined : () => readFileSync(trusted, "utf8");
        const connection = new PostgresConnection({ address, ca });
        await assert.rejects(connection.query("SELECT 1"), /certificate/);
        await connection.close();
      }
      return undefined;
    } finally {
      await cluster.remove();
      await postgres.remove();
    }
  },
};
