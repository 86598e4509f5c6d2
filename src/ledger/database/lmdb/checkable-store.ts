import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { formatRow, hasUncheckedRows } from "../catalogue.ts";
import { DatabaseError } from "../errors.ts";
import { withTrailers } from "../rows/checked-rows.ts";
import type { KeyValueStore, StoredRow } from "../store.ts";
import { openLmdbFile } from "./lmdb-store.ts";

/** Bytes of rows that are copied as one batch. */
const BATCH_BYTES = 8 << 20;
/** Before and behind all keys. */
const FIRST = Uint8Array.of(0);
const BEHIND = Uint8Array.of(0xff);

/**
 * Opens the file of a folder. One of an earlier version, whose rows have no checksums, is copied with them first: a death
 * meanwhile leaves it as it was. That takes as much room again, and some 10 s a GiB.
 */
export async function openCheckableStore(directory: string, isReadOnly = false): Promise<KeyValueStore> {
  const path = `${directory}/store.mdb`;
  if (isReadOnly) return openChecked(path);
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const store = openLmdbFile(path);
  if (store.size().rows === 0 || !hasUncheckedRows(store)) return store;
  await copyWithChecksums(store, draft);
  await store.close();
  renameSync(draft, path);
  rmSync(`${draft}-lock`, { force: true });
  syncFolder(directory);
  return openLmdbFile(path);
}

/** @throws DatabaseError `DATABASE_FORMAT` for a file of an earlier version or none */
async function openChecked(path: string): Promise<KeyValueStore> {
  if (!existsSync(path)) throw new DatabaseError("DATABASE_FORMAT", `there is no ${path}`, { path });
  const store = openLmdbFile(path, { isReadOnly: true });
  if (!hasUncheckedRows(store)) return store;
  await store.close();
  const message = `${path} is of an earlier version: open it where it can be written first`;
  throw new DatabaseError("DATABASE_FORMAT", message, { path });
}

async function copyWithChecksums(from: KeyValueStore, path: string): Promise<void> {
  const to = openLmdbFile(path);
  try {
    let batch: StoredRow[] = [];
    let bytes = 0;
    for (const [key, value] of from.range(FIRST, BEHIND)) {
      batch.push({ key: key.slice(), value: value.slice() });
      bytes += key.length + value.length;
      if (bytes < BATCH_BYTES) continue;
      await to.write(withTrailers(batch));
      batch = [];
      bytes = 0;
    }
    await to.write(withTrailers([...batch, formatRow()]));
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
