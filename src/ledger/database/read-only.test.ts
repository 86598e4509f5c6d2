import { readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import type { Database } from "./database.ts";
import { ACKNOWLEDGED } from "./log/acknowledged.ts";
import { openDatabase, readNotedLog } from "./open-database.ts";
import { newFolder } from "./testing/folder.ts";

const { files, timers } = systemRuntime;
const KEY = Uint8Array.of(1);

function put(database: Database, value: Uint8Array): void {
  database.table("t").put(KEY, value);
}

/** Every file but LMDB's lock file, which it creates where it can. */
function contents(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory).filter((name) => !name.endsWith("-lock"));
  return new Map(names.map((name) => [name, readFileSync(join(directory, name)).toString("hex")]));
}

it("reads engine and log, and writes nothing, whether or not the medium is read-only", async () => {
  const directory = newFolder();
  const location = { engine: "lmdb", directory, timers } as const;
  const written = await openDatabase({ ...location, files });
  written.recover(() => {});
  for (const value of [1, 2]) {
    put(written, Uint8Array.of(value));
    await written.record(Uint8Array.of(value));
    if (value === 1) await written.flush();
  }
  await written.abandon();
  // The end of a write that a kill cut short.
  const [log] = readdirSync(directory)
    .filter((name) => name.startsWith("log-"))
    .map((name) => join(directory, name))
    .sort((one, other) => statSync(other).size - statSync(one).size) as [string];
  const torn = readFileSync(log).length;
  const again = await openDatabase({ ...location, files });
  again.recover((payload) => put(again, payload));
  put(again, Uint8Array.of(3));
  await again.record(Uint8Array.of(3));
  await again.abandon();
  truncateSync(log, torn + 5);
  rmSync(join(directory, ACKNOWLEDGED)); // as if the third record had never been acknowledged
  const before = contents(directory);

  for (const medium of [files, { ...files, isReadOnly: () => true }]) {
    const database = await openDatabase({ ...location, files: medium, isReadOnly: true });
    const recovery = database.recover((payload) => put(database, payload));
    expect(recovery).toEqual({ replayed: 1, truncatedBytes: 5, tornFile: log });
    expect(database.table("t").get(KEY)).toEqual(Uint8Array.of(2));
    await expect(database.record(Uint8Array.of(4))).rejects.toMatchObject({ code: "DATABASE_FAILED" });
    await database.close();
    expect(contents(directory)).toEqual(before);
  }
});

it("rejects a read-only folder without a database", async () => {
  const readOnly = { ...files, isReadOnly: () => true };
  const opening = openDatabase({
    engine: "lmdb",
    directory: newFolder(),
    timers,
    files: readOnly,
    isReadOnly: true,
  });
  await expect(opening).rejects.toMatchObject({ code: "DATABASE_FORMAT" });
});

it.each([0, 1, 4096])("refuses an engine cut to %d bytes, which would crash the process", async (size) => {
  const directory = newFolder();
  const location = { engine: "lmdb", directory, timers, files } as const;
  const written = await openDatabase(location);
  written.recover(() => {});
  put(written, Uint8Array.of(1));
  await written.record(Uint8Array.of(1));
  await written.abandon();
  truncateSync(join(directory, "store.mdb"), size);
  await expect(openDatabase({ ...location, isReadOnly: true })).rejects.toMatchObject({
    code: "DATABASE_FORMAT",
  });
  expect(await readNotedLog("lmdb", directory)).toBeUndefined();
});
