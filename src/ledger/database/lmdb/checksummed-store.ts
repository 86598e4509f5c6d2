import { closeSync, existsSync, fsyncSync, openSync, renameSync } from "node:fs";
import { removeFile } from "../../../platform/runtime/remove-file.ts";
import { formatRow, hasUncheckedRows } from "../catalogue.ts";
import { DatabaseError } from "../errors.ts";
import { withChecksums } from "../rows/checked-rows.ts";
import type { KeyValueStore, StoredRow } from "../store.ts";
import { hasLog, openLmdbFile } from "./lmdb-store.ts";

/** Bytes of rows copied per batch. */
const BATCH_BYTES = 8 << 20;
/** Below and above all keys. */
const FIRST = Uint8Array.of(0);
const BEHIND = Uint8Array.of(0xff);

/**
 * Opens the database file of a folder. A file of an earlier version, without row checksums, is first migrated by copying,
 * which takes the same space again and some 10 s per GiB; a crash meanwhile leaves the original intact.
 */
export async function openChecksummedStore(directory: string, isReadOnly = false): Promise<KeyValueStore> {
  const path = `${directory}/store.mdb`;
  const wasKilled = hasLog(directory);
  if (isReadOnly) return openChecksummedReadOnly(path, wasKilled);
  const draft = `${path}.new`;
  removeFile(draft);
  const store = openLmdbFile(path, { wasKilled });
  if (store.size().rows === 0 || !hasUncheckedRows(store)) return store;
  await copyAddingChecksums(store, draft);
  await store.close();
  renameSync(draft, path);
  removeFile(`${draft}-lock`);
  syncFolder(directory);
  return openLmdbFile(path);
}

/** @throws DatabaseError `DATABASE_FORMAT` for a file of an earlier version or none */
async function openChecksummedReadOnly(path: string, wasKilled: boolean): Promise<KeyValueStore> {
  if (!existsSync(path)) throw new DatabaseError("DATABASE_FORMAT", `there is no ${path}`, { path });
  const store = openLmdbFile(path, { isReadOnly: true, wasKilled });
  if (!hasUncheckedRows(store)) return store;
  await store.close();
  const message = `${path} is of an earlier version: start a node on it once, on a writable medium, to migrate it`;
  throw new DatabaseError("DATABASE_FORMAT", message, { path });
}

async function copyAddingChecksums(from: KeyValueStore, path: string): Promise<void> {
  const to = openLmdbFile(path);
  try {
    let batch: StoredRow[] = [];
    let bytes = 0;
    const write = (): Promise<void> => to.write(withChecksums(batch), { rows: batch.length, bytes });
    for (const [key, value] of from.range(FIRST, BEHIND)) {
      batch.push({ key: key.slice(), value: value.slice() });
      bytes += key.length + value.length;
      if (bytes < BATCH_BYTES) continue;
      await write();
      batch = [];
      bytes = 0;
    }
    batch.push(formatRow());
    await write();
  } finally {
    await to.close();
  }
}

function syncFolder(directory: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(directory, "r");
  fsyncSync(folder);
  closeSync(folder);
}
