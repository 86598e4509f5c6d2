import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Files } from "../../platform/runtime/files.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { createSimulatedFiles } from "../../platform/runtime/simulated/files.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { Database } from "./database.ts";
import { DiskHealth } from "./disk-health.ts";
import type { DatabaseError } from "./errors.ts";
import { CommitLog } from "./log/commit-log.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { openDatabase } from "./open-database.ts";
import { withChecksums } from "./rows/checked-rows.ts";

const { files, timers } = systemRuntime;

/** Timers that do not wait. */
const noDelay: Timers = { schedule: (_, callback) => timers.schedule(0, callback) };
const logged = (files: Files) => {
  const health = new DiskHealth(noDelay);
  return { health, log: new CommitLog(files, "db", health) };
};
const key = (n: number): Uint8Array => Uint8Array.of(n);
const one = key(1);

function unexpected(): never {
  throw new Error("nothing to replay");
}

describe("a database in a folder", () => {
  let directory: string;
  const open = () => openDatabase({ engine: "lmdb", directory, files, timers });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "kairn-database-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("cannot be opened twice, and the error names the folder; it is free again once closed", async () => {
    const first = await open();
    const refused: DatabaseError = await open().catch((error) => error);
    expect(refused.code).toBe("DATABASE_IN_USE");
    expect(refused.message).toContain(directory);
    await first.close();
    await (await open()).close();
  });

  it("makes one copy at a time, and aborts it when closed, without leaving a database file behind", async () => {
    const database = await open();
    database.recover(() => {});
    const { length } = Array.from({ length: 64 }, (_, n) =>
      database.table("a").put(key(n), new Uint8Array(1 << 20)),
    );
    await database.record(key(length));
    const copy = join(directory, "copy");
    mkdirSync(copy);
    const copying = database.copyTo(copy);
    const aborted = expect(copying).rejects.toMatchObject({ code: "DATABASE_FAILED" });
    await expect(database.copyTo(copy)).rejects.toMatchObject({ code: "DATABASE_IN_USE" });
    await vi.waitUntil(() => readdirSync(copy).includes("store.mdb.new"), { interval: 1 });
    await database.close();
    await aborted;
    expect(readdirSync(copy)).not.toContain("store.mdb");
  });

  it("is copied consistently while batches are being written", async () => {
    const database = await open();
    database.recover(() => {});
    const put = async (round: number): Promise<void> => {
      for (let n = 0; n < 200; n++) database.table("a").put(key(n), new Uint8Array(50_000).fill(round));
      await database.record(key(round));
      await database.flush();
    };
    await put(0);
    for (const round of [1, 2, 3]) {
      const copy = join(directory, `copy-${round}`);
      mkdirSync(copy);
      const [batches] = [put(10 * round), put(10 * round + 1)];
      await database.copyTo(copy);
      const other = await openDatabase({ engine: "lmdb", directory: copy, files, timers });
      other.recover(() => {});
      other.verifyRows();
      const values = Array.from({ length: 200 }, (_, n) => other.table("a").get(key(n))?.at(-1));
      expect(new Set(values).size).toBe(1);
      await other.close();
      await batches;
    }
    await database.close();
  });

  it("has every recorded row, whether flushed or only logged", async () => {
    let database = await open();
    database.recover(() => {});
    database.table("a").put(one, key(7));
    await database.record(key(7));
    await database.flush();
    database.table("b").put(one, key(8));
    await database.record(key(8));
    await database.abandon();

    database = await open();
    const replayed: number[] = [];
    database.recover((payload) => {
      replayed.push(payload[0] as number);
      database.table("b").put(one, payload);
    });
    expect(replayed).toEqual([8]);
    expect(database.table("a").get(one)).toEqual(key(7));
    expect(database.table("b").get(one)).toEqual(key(8));
    expect(database.sequence).toBe(2);
    await database.close();

    database = await open();
    expect(database.recover(unexpected)).toEqual({ replayed: 0, truncatedBytes: 0 });
    expect(database.table("b").get(one)).toEqual(key(8));
    await database.close();
    expect(readdirSync(directory).filter((name) => name.startsWith("log-"))).toHaveLength(1);
  });

  it("merges rows that are in memory, being flushed and in the engine", async () => {
    const database = await open();
    database.recover(() => {});
    const table = database.table("a");
    const put = (...rows: [number, number | null][]) => {
      for (const [k, v] of rows) table.put(key(k), v === null ? null : key(v));
      return database.record(new Uint8Array(0));
    };
    await put([1, 1], [2, 1], [3, 1], [4, 1]);
    await database.flush();
    const second = put([2, 2], [3, null], [5, 2]);
    const flushing = database.flush();
    await put([1, 3], [5, null], [6, 3]);
    const expected = ["1=3", "2=2", "4=1", "6=3"];
    const rows = (reverse?: boolean) =>
      Array.from(table.range(key(0), key(9), reverse), ([k, v]) => `${k}=${v}`);
    expect(rows()).toEqual(expected);
    await Promise.all([second, flushing]);
    expect(rows()).toEqual(expected);
    expect(rows(true)).toEqual(expected.toReversed());
    await database.flush();
    expect(rows()).toEqual(expected);
    await database.close();
  });

  it("rejects a folder whose file is missing, until it is back", async () => {
    const database = await open();
    database.recover(() => {});
    database.table("a").put(one, key(7));
    await database.record(key(7));
    await database.close();
    renameSync(join(directory, "store.mdb"), join(directory, "elsewhere"));
    for (let start = 0; start < 2; start++) {
      await expect(open()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_MISSING" }));
    }
    renameSync(join(directory, "elsewhere"), join(directory, "store.mdb"));
    await (await open()).close();
  });

  it.each([1, 2])(
    "adds checksums to the rows of format %d, and leaves no other file behind",
    async (format) => {
      const { openLmdbStore } = await import("./lmdb/lmdb-store.ts");
      const old = openLmdbStore(directory);
      const sequence = Buffer.alloc(8);
      await old.write([
        { key: Buffer.from("\0format"), value: key(format) },
        { key: Buffer.from("\0sequence"), value: sequence },
        { key: Buffer.from("\0tables"), value: Buffer.from("a") },
        ...[1, 2, 3].map((n) => ({ key: Uint8Array.of(1, n), value: key(n + 6) })),
      ]);
      await old.close();
      for (let start = 0; start < 2; start++) {
        const database = await open();
        database.recover(unexpected);
        expect([1, 2, 3].map((n) => database.table("a").get(key(n)))).toEqual([7, 8, 9].map(key));
        database.verifyRows();
        await database.close();
      }
      const others = readdirSync(directory).filter((name) => !/^(log-|store\.mdb(-lock)?$)/.test(name));
      expect(others).toEqual([]);
    },
  );

  it("rebuilds an unreadable file while the log is complete, and keeps the damaged one", async () => {
    let database = await open();
    database.recover(() => {});
    database.table("a").put(one, key(7));
    await database.record(key(7));
    await database.abandon();
    writeFileSync(join(directory, "store.mdb"), Buffer.alloc(65_536, 0xa5));
    database = await open();
    database.recover((payload) => database.table("a").put(one, payload));
    expect(database.table("a").get(one)).toEqual(key(7));
    await database.close();
    expect(statSync(join(directory, "store.mdb.damaged")).size).toBe(65_536);

    database = await open();
    database.recover(unexpected);
    expect(database.table("a").get(one)).toEqual(key(7));
    await database.close();
    writeFileSync(join(directory, "store.mdb"), Buffer.alloc(65_536, 0xa5));
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_FORMAT" }));
  });

  it("rejects a folder with another format", async () => {
    const database = await open();
    await database.close();
    const { openLmdbStore } = await import("./lmdb/lmdb-store.ts");
    const store = openLmdbStore(directory);
    await store.write(withChecksums([{ key: Buffer.from("\0format"), value: key(99) }]));
    await store.close();
    await expect(open()).rejects.toMatchObject({
      code: "DATABASE_FORMAT",
      message: expect.stringContaining("a later version wrote it"),
    });
  });

  it("rejects a truncated file, which would crash the process", async () => {
    const { openLmdbStore } = await import("./lmdb/lmdb-store.ts");
    const path = join(directory, "store.mdb");
    const store = openLmdbStore(directory);
    const rows = Array.from({ length: 3_000 }, (_, n) => ({
      key: Buffer.from(`row ${n}`),
      value: Buffer.alloc(100, n),
    }));
    await store.write(rows);
    await store.close();
    const { size } = statSync(path);
    truncateSync(path, size >> 1);
    const damage = {
      code: "DATABASE_DAMAGED",
      message: expect.stringContaining(`${path} is damaged: page `),
    };
    expect(() => openLmdbStore(directory)).toThrow(expect.objectContaining(damage));
    expect(statSync(path).size).toBe(size);
  });

  it("rejects a file that is not LMDB's, which would crash the process", async () => {
    writeFileSync(join(directory, "store.mdb"), Buffer.alloc(8192, 0xa5));
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_FORMAT" }));
  });
});

describe("a database on a failing disk", () => {
  it("recovers from the log if the engine could not write before it was closed", async () => {
    const files = createSimulatedFiles();
    const engine = createMemoryStore();
    const failing = { ...engine, write: () => Promise.reject(new Error("EIO")) };
    const database = new Database({ store: failing, ...logged(files), flushBytes: 10_000 });
    database.recover(() => {});
    const table = database.table("a");
    table.put(one, key(7));
    await database.record(key(7));
    const flushed = database.flush();
    const refused = expect.objectContaining({ code: "DATABASE_FAILED" });
    await expect(database.health.unlessFailing(flushed)).rejects.toThrow(refused);
    expect(table.get(one)).toEqual(key(7));
    expect(() => database.health.check()).toThrow(refused);
    await Promise.all([database.close(), expect(flushed).rejects.toThrow(refused)]);

    const seen: number[] = [];
    new Database({ store: engine, ...logged(files) }).recover((payload) => seen.push(payload[0] as number));
    expect(seen).toEqual([7]);
  });

  it("writes the queued rows once the engine accepts writes again", async () => {
    const engine = createMemoryStore();
    let failures = 3;
    const failing: typeof engine = {
      ...engine,
      write: (batch) => (failures-- > 0 ? Promise.reject(new Error("ENOSPC")) : engine.write(batch)),
    };
    const database = new Database({ store: failing, ...logged(createSimulatedFiles()) });
    database.recover(() => {});
    database.table("a").put(one, key(7));
    await database.record(key(7));
    const flushed = database.flush();
    database.table("a").put(one, key(8));
    await database.record(key(8));
    await flushed;
    expect(database.health.now).toEqual({ state: "healthy" });
    expect(engine.get(Uint8Array.of(1, 1))).toEqual(key(7));
    expect(database.table("a").get(one)).toEqual(key(8));
    await database.flush();
    expect(engine.get(Uint8Array.of(1, 1))).toEqual(key(8));
  });

  it("flushes once there are many bytes or many rows", async () => {
    for (const limits of [{ flushBytes: 1, flushRows: 99 }, { flushRows: 3 }]) {
      const parts = logged(createSimulatedFiles());
      const database = new Database({ store: createMemoryStore(), ...parts, ...limits });
      database.recover(() => {});
      for (const n of [1, 2, 3, 4]) database.table("a").put(key(n), key(n));
      await database.record(key(1));
      expect(database.flushes.begun).toBe(1);
      await database.close();
    }
  });

  it("detects that the beginning of the log is missing", async () => {
    const files = createSimulatedFiles();
    const { log, health } = logged(files);
    const database = new Database({ store: createMemoryStore(), log, health });
    database.recover(() => {});
    await database.record(key(1));
    const ended = await log.roll();
    await database.record(key(2));
    log.drop(ended);
    const reopened = new Database({ store: createMemoryStore(), ...logged(files) });
    expect(() => reopened.recover(() => {})).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  });
});
