import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { newFolder } from "./testing/folder.ts";

const PAGE = 4096;
const KEY_SIZE = 240;

async function open(directory: string): Promise<Database> {
  const database = await openDatabase({ engine: "lmdb", directory, ...systemRuntime });
  database.recover(() => {});
  return database;
}

/** Hides the last row of the leaf that has a key, and names it. */
function hideRow(path: string, key: Buffer): number {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(key); at > 0; at = bytes.indexOf(key, at + 1)) {
    const page = Math.floor(at / PAGE);
    const nodes = bytes.readUInt16LE(page * PAGE + 20);
    if (bytes.readUInt16LE(page * PAGE + 18) !== 2 || bytes.readUInt32LE(page * PAGE) !== page) continue;
    const lower = Buffer.alloc(2);
    lower.writeUInt16LE(nodes - 2);
    const file = openSync(path, "r+");
    writeSync(file, lower, 0, 2, page * PAGE + 20);
    closeSync(file);
    return page;
  }
  throw new Error("no such leaf");
}

it("finds damage of pages that were not checked when a large file was opened, although nobody reads them", async () => {
  const directory = newFolder();
  const path = join(directory, "store.mdb");
  const written = await open(directory);
  const rows = written.table("a");
  const keyOf = (n: number): Buffer => Buffer.from(n.toString().padStart(KEY_SIZE, "0"));
  for (let n = 0; n < 2500; n++) rows.put(keyOf(n), Buffer.alloc(8000, n));
  await written.record(Uint8Array.of(1));
  await written.close();
  const page = hideRow(path, keyOf(1700));
  const database = await open(directory);
  expect(database.health.now.state).toBe("healthy");
  const reason = `${path} is damaged: page ${page} has rows that do not fill it`;
  await vi.waitFor(() => expect(database.health.now).toMatchObject({ state: "damaged", reason }), {
    timeout: 20_000,
    interval: 20,
  });
  await database.abandon();
}, 60_000);
