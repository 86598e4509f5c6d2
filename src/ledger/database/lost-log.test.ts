import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { ACKNOWLEDGED } from "./log/acknowledged.ts";
import { newFolder, openFolder } from "./testing/folder.ts";
import { key, one } from "./testing/rows.ts";

async function put(database: Database, value: number): Promise<void> {
  database.table("a").put(one, key(value));
  await database.record(key(value));
}

/** Opens, replays, and returns the value of the row. */
async function valueIn(directory: string): Promise<number | undefined> {
  const database = await openFolder(directory);
  try {
    database.recover((payload) => database.table("a").put(one, payload));
    return database.table("a").get(one)?.[0];
  } finally {
    await database.abandon();
  }
}

const segments = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.startsWith("log-"))
    .sort()
    .map((name) => join(directory, name));

/** A folder whose process was killed with records in its log. */
async function killed(...steps: readonly ("flush" | "restart" | number)[]): Promise<string> {
  const directory = newFolder();
  let database = await openFolder(directory);
  database.recover(() => {});
  for (const step of steps) {
    if (typeof step === "number") await put(database, step);
    else if (step === "flush") await database.flush();
    else {
      await database.abandon();
      database = await openFolder(directory);
      database.recover((payload) => database.table("a").put(one, payload));
    }
  }
  await database.abandon();
  return directory;
}

const COURSES = {
  "everything in the log": [1, 2],
  "some rows in the engine": [1, "flush", 2],
  "a start after a kill": [1, "restart", 2],
  "a start after a kill and a flush": [1, "flush", 2, "restart", 3, "flush", 4, "flush", "restart", 2],
} as const;
const LOSSES: Readonly<Record<string, (path: string) => void>> = {
  removed: (path) => rmSync(path),
  emptied: (path) => truncateSync(path),
  zeroed: (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
};

for (const [course, steps] of Object.entries(COURSES))
  for (const [loss, lose] of Object.entries(LOSSES))
    it(`notices that the log was ${loss}: ${course}`, async () => {
      const directory = await killed(...steps);
      expect(await valueIn(directory)).toBe(2);
      for (const path of segments(directory)) {
        const bytes = readFileSync(path);
        lose(path);
        for (let start = 0; start < 2; start++)
          await expect(valueIn(directory)).rejects.toMatchObject({
            code: "LOG_DAMAGED",
            message: expect.stringContaining(path),
            details: { path, offset: 0 },
          });
        writeFileSync(path, bytes);
        expect(await valueIn(directory)).toBe(2);
      }
      for (const path of segments(directory)) lose(path);
      await expect(valueIn(directory)).rejects.toMatchObject({ code: "LOG_DAMAGED" });
    });

/** A folder with this many records in its log, each written alone, and the size of the log with each. */
async function killedAfter(records: number): Promise<{ directory: string; path: string; sizes: number[] }> {
  const directory = newFolder();
  const database = await openFolder(directory);
  database.recover(() => {});
  const sizes: number[] = [];
  for (let i = 1; i <= records; i++) {
    await put(database, i % 200);
    sizes[i] = statSync(segments(directory)[0] as string).size;
  }
  await database.abandon();
  return { directory, path: segments(directory)[0] as string, sizes };
}

describe("a log whose last records were cut off", () => {
  it.each([
    [1, 4],
    [2, 4],
    [3, 4],
    [699, 700],
  ])("is refused: %i of %i are left", async (left, records) => {
    const { directory, path, sizes } = await killedAfter(records);
    expect(statSync(join(directory, ACKNOWLEDGED)).size).toBeLessThanOrEqual(4096);
    truncateSync(path, sizes[left]);
    for (let start = 0; start < 2; start++)
      await expect(valueIn(directory)).rejects.toMatchObject({
        code: "LOG_DAMAGED",
        message: expect.stringContaining(path),
        details: { path, last: left, acknowledged: records },
      });
  });

  it("is refused if the engine is lost, too, and nothing was flushed", async () => {
    const directory = await killed(1, 2);
    for (const path of segments(directory)) truncateSync(path);
    rmSync(join(directory, "store.mdb"));
    await expect(valueIn(directory)).rejects.toMatchObject({ code: "LOG_DAMAGED" });
  });

  it("goes on where the notes are missing, torn or older, as after a power loss", async () => {
    for (const change of [
      (path: string) => rmSync(path),
      (path: string) => truncateSync(path),
      (path: string) => truncateSync(path, 20),
      (path: string) => writeFileSync(path, Buffer.alloc(100)),
      (path: string) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(12, 255)])),
    ]) {
      const directory = await killed(1, 2, 3);
      change(join(directory, ACKNOWLEDGED));
      expect(await valueIn(directory)).toBe(3);
    }
  });
});

it("takes zeros after a whole frame for damage if they are longer than the write they would have been in", async () => {
  const directory = await killed(1, 2, 3);
  const [path] = segments(directory) as [string];
  const bytes = readFileSync(path);
  const start = bytes.indexOf(Buffer.concat([key(1)]), 40);
  writeFileSync(path, bytes.fill(0, start));
  await expect(valueIn(directory)).rejects.toMatchObject({ code: "LOG_DAMAGED" });
});

it("starts anew in a folder whose creation was interrupted before anything was acknowledged", async () => {
  const directory = newFolder();
  for (let start = 0; start < 3; start++) {
    const database = await openFolder(directory);
    database.recover(() => {});
    await database.abandon();
  }
  const count = segments(directory).length;
  expect(count).toBe(2);
  const empty = newFolder();
  const database = await openFolder(empty);
  await database.abandon(); // store.mdb is there, and no log yet
  writeFileSync(join(empty, "log-0000000001.v2"), "");
  await put(await opened(empty), 3).then(() => {});
});

async function opened(directory: string): Promise<Database> {
  const database = await openFolder(directory);
  database.recover(() => {});
  return database;
}
