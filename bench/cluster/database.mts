// `npx tsx bench/cluster/measure.mts database`: the load of followers on a database, measured by operation, and a model derived from that.
import { setTimeout as pause } from "node:timers/promises";
import type { NewRecord } from "../../src/network/cluster/change-log.ts";
import { parseDatabaseUrl } from "../../src/network/cluster/postgres/database-url.ts";
import { PostgresChangeLog } from "../../src/network/cluster/postgres/postgres-change-log.ts";
import { familySeconds, privateBytes } from "../../test/cluster/nodes/processes.ts";
import type { Postgres } from "../../test/cluster/servers/postgres.ts";
import { TcpProxy } from "../../test/cluster/servers/tcp-proxy.ts";

const DATABASE = "model";
const CHAIN = { genesisHash: new Uint8Array(32), chainId: 1337n };
const LEASE_MS = 600_000;
const RECORDS = 200;
/** How often a follower polls the log with one block per second; see `measure.mts idle`. */
const POLLS_PER_SECOND = 7;
const POLLING_S = 20;
const ONE = { records: 1, bytes: 64 << 20, largest: 64 << 20 };

/** Means of one run: CPU seconds of the database, and bytes. */
interface Parts {
  readonly append: { readonly cpu: number; readonly wal: number; readonly table: number };
  readonly look: { readonly cpu: number; readonly bytes: number };
  readonly fetch: { readonly cpu: number; readonly bytes: number };
  readonly memory: number;
}

/** Measures the parts and prints the model. @param payload - of a record of 1,000 transfers */
export async function measureDatabase(postgres: Postgres, payload: Uint8Array): Promise<void> {
  await postgres.createDatabase(DATABASE);
  const append = await appending(postgres, payload);
  console.log(
    `appending a record of ${payload.length} bytes: ${ms(append.cpu)} of the database's CPU time; ` +
      `${append.wal.toFixed(0)} bytes of its log and ${append.table.toFixed(0)} of its tables`,
  );
  const all: Parts[] = [];
  for (const count of [10, 40]) {
    const parts = { append, ...(await following(postgres, count)) };
    const { look, fetch, memory } = parts;
    console.log(
      `${count} connections: a poll without new records ${ms(look.cpu)} and ${look.bytes.toFixed(0)} bytes, fetching ` +
        `the record ${ms(fetch.cpu)} and ${fetch.bytes.toFixed(0)} bytes, ${(memory / (1 << 20)).toFixed(1)} MiB of ` +
        "memory each",
    );
    all.push(parts);
  }
  model(all.at(-1) as Parts);
}

/** Appends records sequentially, like a writer. */
async function appending(postgres: Postgres, payload: Uint8Array): Promise<Parts["append"]> {
  const log = logOf(postgres, postgres.port);
  await log.prepare(CHAIN, { height: 0n, hash: CHAIN.genesisHash });
  await log.acquire({ holder: "writer", url: "", ttlMs: LEASE_MS });
  await log.append(1n, [recordOf(1n, payload)]);
  const before = await written(postgres);
  for (let height = 2n; height <= RECORDS + 1; height++) await log.append(1n, [recordOf(height, payload)]);
  const after = await written(postgres);
  await log.close();
  return {
    cpu: (after.cpu - before.cpu) / RECORDS,
    wal: (after.wal - before.wal) / RECORDS,
    table: (after.table - before.table) / RECORDS,
  };
}

/** Connections that poll the log as often as followers do, then fetch each record. */
async function following(postgres: Postgres, count: number): Promise<Omit<Parts, "append">> {
  const proxy = await TcpProxy.start(postgres.port);
  const logs = Array.from({ length: count }, () => logOf(postgres, proxy.port));
  try {
    const { height } = (await Promise.all(logs.map((log) => log.state())))[0] as { height: bigint };
    const each = (action: (log: PostgresChangeLog) => Promise<unknown>) => Promise.all(logs.map(action));
    const looks = POLLING_S * POLLS_PER_SECOND;
    const look = await costOf(postgres, proxy, looks * count, async () => {
      for (let i = 0, begun = performance.now(); i < looks; i++) {
        await each((log) => log.read(height, ONE));
        await pause(Math.max(0, begun + (1_000 * (i + 1)) / POLLS_PER_SECOND - performance.now()));
      }
    });
    const fetched = Math.ceil(RECORDS / 4);
    const fetch = await costOf(postgres, proxy, fetched * count, async () => {
      for (let at = 0n; at < fetched; at++) await each((log) => log.read(at, ONE));
    });
    const backends = await postgres.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = '${DATABASE}'`,
    );
    const memory = backends.reduce((sum, { pid }) => sum + privateBytes(pid), 0) / backends.length;
    return { look, fetch, memory };
  } finally {
    await Promise.all(logs.map((log) => log.close()));
    proxy.close();
  }
}

async function costOf(postgres: Postgres, proxy: TcpProxy, times: number, action: () => Promise<void>) {
  const [cpu, bytes] = [familySeconds(postgres.pid as number), proxy.passed];
  await action();
  return {
    cpu: (familySeconds(postgres.pid as number) - cpu) / times,
    bytes: (proxy.passed - bytes) / times,
  };
}

/** The load of followers with a block of 1,000 transfers per second. */
function model({ append, look, fetch, memory }: Parts): void {
  console.log(
    "\nfollowers, statements/s, cores of the database, MB/s to followers, connections' memory in MiB",
  );
  for (const followers of [10, 100, 300, 1_000]) {
    const perSecond = POLLS_PER_SECOND * look.cpu + fetch.cpu;
    const bytes = POLLS_PER_SECOND * look.bytes + fetch.bytes;
    const cells = [
      ...[followers, followers * (POLLS_PER_SECOND + 1), (append.cpu + followers * perSecond).toFixed(2)],
      ...[((followers * bytes) / 1e6).toFixed(1), ((followers * memory) / (1 << 20)).toFixed(0)],
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

async function written(postgres: Postgres): Promise<Parts["append"]> {
  await postgres.query("CHECKPOINT");
  const [row] = await postgres.query<{ wal: string; size: string }>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal, pg_total_relation_size('changes_0') AS size`,
    DATABASE,
  );
  return { cpu: familySeconds(postgres.pid as number), wal: Number(row?.wal), table: Number(row?.size) };
}

function logOf(postgres: Postgres, port: number): PostgresChangeLog {
  return new PostgresChangeLog({
    address: parseDatabaseUrl(postgres.url(DATABASE, undefined, port)),
    name: DATABASE,
  });
}

function recordOf(height: bigint, payload: Uint8Array): NewRecord {
  const hash = hashOf(height);
  return { height, hash, parentHash: hashOf(height - 1n), stateRoot: hash, checksum: hash, payload };
}

function hashOf(height: bigint): Uint8Array {
  const hash = Buffer.alloc(32);
  hash.writeBigUInt64BE(height, 24);
  return hash;
}

function ms(seconds: number): string {
  return `${(1_000 * seconds).toFixed(3)} ms`;
}
