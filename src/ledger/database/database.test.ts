import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { DatabaseError } from "./errors.ts";
import { newFolder, openFolder } from "./testing/folder.ts";
import { key, one, unexpected } from "./testing/rows.ts";

describe("a database in a folder", () => {
  let directory: string;
  const open = () => openFolder(directory);
  beforeEach(() => {
    directory = newFolder();
  });

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
      const other = await openFolder(copy);
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
    expect(readdirSync(directory).filter((name) => name.startsWith("log-"))).toHaveLength(2);
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
});
