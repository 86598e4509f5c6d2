import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSimulatedFiles } from "../../platform/runtime/simulated-files.ts";
import { systemFiles } from "../../platform/runtime/system-files.ts";
import { Database, openDatabase } from "./database.ts";
import type { DatabaseError } from "./errors.ts";
import { CommitLog } from "./log/commit-log.ts";
import { createMemoryStore } from "./memory/memory-store.ts";

const key = (n: number): Uint8Array => Uint8Array.of(n);
const one = key(1);

function unexpected(): never {
  throw new Error("nothing to replay");
}

describe("database in a folder", () => {
  let directory: string;
  const open = () => openDatabase({ engine: "lmdb", directory, files: systemFiles });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "kairn-database-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is refused to a second opener, with the folder named, and free again afterwards", async () => {
    const first = await open();
    const refused: DatabaseError = await open().catch((error) => error);
    expect(refused.code).toBe("DATABASE_IN_USE");
    expect(refused.message).toContain(directory);
    await first.close();
    await (await open()).close();
  });

  it("has what was recorded whether it was flushed or only logged", async () => {
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
    expect(database.recover(unexpected)).toEqual({ replayed: 0, cutBytes: 0 });
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

  it("refuses a folder that lost its file, and takes it back", async () => {
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

  it("refuses a folder of another format", async () => {
    const database = await open();
    await database.close();
    const { openLmdbStore } = await import("./lmdb/lmdb-store.ts");
    const store = openLmdbStore(directory);
    await store.write([{ key: Buffer.from("\0format"), value: key(99) }]);
    await store.close();
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_FORMAT" }));
  });

  it("answers errors about a file that was cut short, whose pages would end the process", async () => {
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
    const cut = openLmdbStore(directory);
    expect(statSync(path).size).toBe(size);
    expect(() => rows.map(({ key }) => cut.get(key))).toThrow("MDB_");
    await cut.close();
  });

  it("refuses a file that is not LMDB's, which would end the process", async () => {
    writeFileSync(join(directory, "store.mdb"), Buffer.alloc(8192, 0xa5));
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_FORMAT" }));
  });
});

describe("database on a failing disk", () => {
  it("acknowledges nothing after a failed write and keeps what was acknowledged", async () => {
    const files = createSimulatedFiles();
    const store = createMemoryStore();
    const database = new Database({ store, log: new CommitLog(files, "db") });
    database.recover(() => {});
    await database.record(key(1));
    files.failNextAppend(new Error("disk full"));
    await expect(database.record(key(2))).rejects.toThrow(
      expect.objectContaining({ code: "DATABASE_FAILED" }),
    );
    await expect(database.record(key(3))).rejects.toThrow(
      expect.objectContaining({ code: "DATABASE_FAILED" }),
    );

    const seen: number[] = [];
    new Database({ store, log: new CommitLog(files, "db") }).recover((payload) =>
      seen.push(payload[0] as number),
    );
    expect(seen).toEqual([1]);
  });

  it("goes on from the log when the engine could not write", async () => {
    const files = createSimulatedFiles();
    const engine = createMemoryStore();
    const failing = { ...engine, write: () => Promise.reject(new Error("disk full")) };
    const database = new Database({ store: failing, log: new CommitLog(files, "db"), flushBytes: 10_000 });
    database.recover(() => {});
    const table = database.table("a");
    table.put(one, key(7));
    await database.record(key(7));
    await expect(database.flush()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_FAILED" }));
    expect(table.get(one)).toEqual(key(7));
    await expect(database.record(key(8))).rejects.toThrow(
      expect.objectContaining({ code: "DATABASE_FAILED" }),
    );
    await database.close();

    const seen: number[] = [];
    new Database({ store: engine, log: new CommitLog(files, "db") }).recover((payload) =>
      seen.push(payload[0] as number),
    );
    expect(seen).toEqual([7]);
  });

  it("writes to the engine by bytes and by rows, whichever are many", async () => {
    for (const limits of [{ flushBytes: 1, flushRows: 99 }, { flushRows: 3 }]) {
      const log = new CommitLog(createSimulatedFiles(), "db");
      const database = new Database({ store: createMemoryStore(), log, ...limits });
      database.recover(() => {});
      for (const n of [1, 2, 3, 4]) database.table("a").put(key(n), key(n));
      await database.record(key(1));
      expect(database.flushes.begun).toBe(1);
      await database.close();
    }
  });

  it("finds that the beginning of the log is missing", async () => {
    const files = createSimulatedFiles();
    const log = new CommitLog(files, "db");
    const database = new Database({ store: createMemoryStore(), log });
    database.recover(() => {});
    await database.record(key(1));
    const ended = await log.roll();
    await database.record(key(2));
    log.drop(ended);
    const reopened = new Database({ store: createMemoryStore(), log: new CommitLog(files, "db") });
    expect(() => reopened.recover(() => {})).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  });
});
