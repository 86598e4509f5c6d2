import { mkdirSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { readForkPoint } from "../../ledger/chain/fork-base.ts";
import { createStateStore, type StateStoreOptions } from "../../ledger/state/create-state-store.ts";
import type { StateStore, StoreStats } from "../../ledger/state/state.ts";
import { syncDirectory } from "../../platform/runtime/system/sync-directory.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";

/**
 * A backup cannot be made.
 * - `BACKUP_FOLDER`: the folder is not empty, its path is not absolute, or nothing can be written in the data folder
 * - `BACKUP_FORK`: the chain is a fork of another one, without which the backup could not be verified
 * - `BACKUP_RUNS`: another backup is in progress
 */
export class BackupError extends NodeError<"BACKUP_FOLDER" | "BACKUP_FORK" | "BACKUP_RUNS"> {
  override name = "BackupError";
}

const running = new WeakSet<StateStore>();

/**
 * Makes a consistent copy of a running chain, in a folder that a node can be started on.
 * @param folder - absolute path; created with mode 0700 unless it exists and is empty
 * @throws BackupError; DatabaseError as `StateStore.copyTo`; errors of the file system
 */
export async function backupChain(store: StateStore, folder: string): Promise<void> {
  if (readForkPoint(store) !== undefined)
    throw new BackupError("BACKUP_FORK", "the chain is a fork of another one: dump its state instead");
  if (running.has(store)) throw new BackupError("BACKUP_RUNS", "another backup is being made");
  running.add(store);
  try {
    makeEmptyFolder(folder);
    const chaindata = join(folder, "chaindata");
    mkdirSync(chaindata, { mode: 0o700 });
    await store.copyTo(chaindata);
    for (const path of [folder, dirname(folder)]) await syncDirectory(path);
  } finally {
    running.delete(store);
  }
}

/**
 * The same for the chain of a data folder.
 * @param onOpen - called with what was found on opening it
 * @returns false, without doing anything, if a process is using the folder
 */
export async function backupFolder(
  dataDir: string,
  folder: string,
  onOpen: (stats: StoreStats) => void,
): Promise<boolean> {
  const { files, timers } = systemRuntime;
  const directory = join(dataDir, "chaindata");
  if (files.isReadOnly(directory))
    throw new BackupError("BACKUP_FOLDER", `${dataDir} is read-only, so it can be copied as it is`);
  const store = await openUnlessInUse({ engine: "lmdb", directory, files, timers });
  if (store === undefined) return false;
  try {
    onOpen(store.stats());
    await backupChain(store, folder);
    return true;
  } finally {
    await store.close();
  }
}

async function openUnlessInUse(options: StateStoreOptions): Promise<StateStore | undefined> {
  try {
    return await createStateStore(options);
  } catch (error) {
    if (error instanceof NodeError && error.code === "DATABASE_IN_USE") return undefined;
    throw error;
  }
}

function makeEmptyFolder(folder: string): void {
  if (!isAbsolute(folder)) throw new BackupError("BACKUP_FOLDER", `${folder} is not an absolute path`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (readdirSync(folder).length > 0)
      throw new BackupError("BACKUP_FOLDER", `${folder} is not empty: a backup goes into a new folder`);
  }
}
