import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Database } from "./database.ts";
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
