import { readdirSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { withChecksums } from "./rows/checked-rows.ts";
import { newFolder, openFolder } from "./testing/folder.ts";
import { key, one, unexpected } from "./testing/rows.ts";

describe("the folder of a database", () => {
  let directory: string;
  const open = () => openFolder(directory);
  beforeEach(() => {
    directory = newFolder();
  });

  it("rejects a folder whose file is missing, until it is back", async () => {
    const database = await open();
    database.recover(() => {});
    database.table("a").put(one, key(7));
    await database.record(key(7));
    await database.close();
    renameSync(join(directory, "store.mdb"), join(directory, "elsewhere"));
    for (let start = 0; start < 2; start++) {
      const path = join(directory, "store.mdb");
      const message = expect.stringContaining(`${path} is missing or empty`);
      await expect(open()).rejects.toThrow(expect.objectContaining({ code: "DATABASE_MISSING", message }));
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
    const rebuiltFile = join(directory, "store.mdb");
    const recovery = database.recover((payload) => database.table("a").put(one, payload));
    expect(recovery).toEqual({
      replayed: 1,
      truncatedBytes: 0,
      rebuiltFile,
      keptAs: `${rebuiltFile}.damaged`,
    });
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
