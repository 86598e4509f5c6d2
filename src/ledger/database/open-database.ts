import { RuntimeError } from "../../platform/runtime/errors.ts";
import type { Files, Lock } from "../../platform/runtime/files.ts";
import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { type Catalogue, readCatalogue } from "./catalogue.ts";
import { Database, type DatabaseParts } from "./database.ts";
import { DiskHealth } from "./disk-health.ts";
import { type Engine, type EngineName, engines } from "./engines.ts";
import { DatabaseError } from "./errors.ts";
import { ACKNOWLEDGED } from "./log/acknowledged.ts";
import { CommitLog, isLogContinued } from "./log/commit-log.ts";
import { segmentNames } from "./log/segment.ts";
import { checkedRows } from "./rows/checked-rows.ts";
import type { KeyValueStore } from "./store.ts";

/** How often the existence of the folder is checked. */
const FOLDER_LOOK_MS = 1_000;

/** How long pages are checked at a time, and the pause after it: 5 % of a core, while a large file has pages not yet checked. */
const CHECK_MS = 2;
const CHECK_PAUSE_MS = 40;

/** Options of a database. */
export interface DatabaseLocation {
  readonly engine: EngineName;
  /** Created if missing; not used by the in-memory engine. */
  readonly directory?: string | undefined;
  /** Disk, for an engine that outlives the process. */
  readonly files?: Files | undefined;
  /** The caller only reads: nothing is written. A folder on a read-only medium is not locked either. */
  readonly isReadOnly?: boolean | undefined;
  /** Schedules retries on a failing disk. */
  readonly timers?: Timers | undefined;
}

type FileLocation = Required<{ [K in keyof DatabaseLocation]: Exclude<DatabaseLocation[K], undefined> }>;

/**
 * Opens a database; only one process at a time can open a writable one.
 * @throws DatabaseError `DATABASE_IN_USE`, `DATABASE_FORMAT`, `DATABASE_DAMAGED`, `DATABASE_MISSING`, `DATABASE_UNWRITABLE`
 */
export async function openDatabase(
  { engine, directory, files, timers, isReadOnly = false }: DatabaseLocation,
  tuning: Pick<DatabaseParts, "flushBytes" | "caches"> = {},
): Promise<Database> {
  const { persistent, open, file }: Engine = engines[engine];
  if (!persistent) return new Database({ ...tuning, store: await open("") });
  if (directory === undefined || !files || !timers)
    throw new TypeError(`engine ${engine} needs a directory, files and timers`);
  return naming(directory, async () => {
    if (!isReadOnly) files.createDirectory(directory);
    checkKinds(files, directory, file(directory));
    return openFiles({ engine, directory, files, timers, isReadOnly }, tuning);
  });
}

async function openFiles(
  { engine, directory, files, timers, isReadOnly }: FileLocation,
  tuning: Pick<DatabaseParts, "flushBytes" | "caches">,
): Promise<Database> {
  const { open, file }: Engine = engines[engine];
  if (isReadOnly) {
    const held = files.isReadOnly(directory) ? undefined : await lock(files, directory);
    const release = (): void => held?.release();
    try {
      const store = await open(directory, true);
      const health = new DiskHealth(timers);
      const log = new CommitLog(files, directory, health);
      const parts = { ...tuning, store, log, health, checkedFile: file(directory), release };
      return new Database({ ...parts, isReadOnly });
    } catch (error) {
      release();
      throw error;
    }
  }
  const held = await lock(files, directory);
  const health = new DiskHealth(timers);
  const unwatch = watchFolder(held, { directory, timers, health });
  let stopChecking: Cancel | undefined;
  const release = (): void => {
    stopChecking?.();
    unwatch();
    held.release();
  };
  const openOnce = async (keptAs?: string): Promise<Database> => {
    const store = await open(directory);
    try {
      checkEngine(store, { files, directory, path: file(directory) });
      const log = new CommitLog(files, directory, health);
      return new Database({ ...tuning, store, log, health, checkedFile: file(directory), keptAs, release });
    } catch (error) {
      await store.close();
      throw error;
    }
  };
  try {
    const database = await openOnce().catch((error) => {
      if (!canBeRebuilt(error, files.list(directory))) throw error;
      const keptAs = `${file(directory)}.damaged`;
      files.rename(file(directory), keptAs);
      return openOnce(keptAs);
    });
    stopChecking = checkInBackground(database, timers);
    return database;
  } catch (error) {
    release();
    throw error;
  }
}

/** Runs what opens files. @throws DatabaseError `DATABASE_UNWRITABLE` in place of errors of the system, with the folder */
async function naming<T>(directory: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    const { code, message, syscall } = cause as NodeJS.ErrnoException;
    if (cause instanceof NodeError || code === undefined || syscall === undefined) throw cause;
    const text = `the data folder ${directory} cannot be used: ${message}`;
    throw new DatabaseError("DATABASE_UNWRITABLE", text, { directory, code }, { cause });
  }
}

/** Refuses what is in place of a file: a pipe would block the process, and a folder, socket or device fail without a name. */
function checkKinds(files: Files, directory: string, engineFile: string): void {
  const names = files.list(directory);
  const ours = [
    engineFile,
    `${engineFile}-lock`,
    `${engineFile}.new`,
    `${directory}/LOCK`,
    `${directory}/${ACKNOWLEDGED}`,
  ];
  for (const path of [...ours, ...segmentNames(names).map((name) => `${directory}/${name}`)]) {
    if (files.isRegularOrNone(path)) continue;
    const message = `${path} is not a regular file: a link that leads nowhere, a pipe, a socket, a device or a folder`;
    throw new DatabaseError("DATABASE_DAMAGED", message, { path });
  }
}

/** What the engine in a folder notes of its log; undefined if the engine cannot be read. The caller holds the folder's lock. */
export async function readNotedLog(
  engine: EngineName,
  directory: string,
): Promise<Pick<Catalogue, "sequence" | "segments"> | undefined> {
  const { open, file }: Engine = engines[engine];
  try {
    const store = await open(directory, true);
    try {
      const location = { file: file(directory), tableOf: () => "catalogue", onDamage: () => {} };
      return readCatalogue(checkedRows(store, location));
    } finally {
      await store.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Detects the removal of the database's folder, which writes to open files do not notice. @returns a function that stops it
 */
function watchFolder(
  lock: Lock,
  { directory, timers, health }: { directory: string; timers: Timers; health: DiskHealth },
): () => void {
  const look = (): Cancel =>
    timers.schedule(FOLDER_LOOK_MS, () => {
      if (lock.isThere()) {
        cancel = look();
        return;
      }
      const message = `the data folder ${directory} was removed or replaced while the node runs`;
      health.reportDamage(new DatabaseError("DATABASE_MISSING", message, { directory }));
    });
  let cancel = look();
  return () => cancel();
}

/** Has what was not checked when a database was opened checked in pieces. @returns a function that stops it */
function checkInBackground(database: Database, timers: Timers): Cancel {
  const pause = (): Cancel =>
    timers.schedule(CHECK_PAUSE_MS, () => {
      const end = performance.now() + CHECK_MS;
      if (database.checkOn(() => performance.now() >= end)) cancel = pause();
    });
  let cancel: Cancel = database.checkOn(() => true) ? pause() : () => {};
  return () => cancel();
}

/** Whether the log still has every record, so that an unreadable engine can be rebuilt from it. */
function canBeRebuilt(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof DatabaseError) || isLogContinued(names)) return false;
  return segmentNames(names).length > 0 && ["DATABASE_FORMAT", "DATABASE_DAMAGED"].includes(error.code);
}

/** Refuses an empty engine next to a log without its first segment: its file was lost, and the chain would restart from nothing. */
function checkEngine(
  store: KeyValueStore,
  { files, directory, path }: { readonly files: Files; readonly directory: string; readonly path: string },
): void {
  if (store.size().rows > 0 || !isLogContinued(files.list(directory))) return;
  const message = `${path} is missing or empty, and the log does not have everything: put it back, or remove the folder to start over`;
  throw new DatabaseError("DATABASE_MISSING", message, { directory, path });
}

async function lock(files: Files, directory: string): Promise<Lock> {
  try {
    return await files.lock(`${directory}/LOCK`);
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const message = `the data folder ${directory} is used by another process`;
    throw new DatabaseError("DATABASE_IN_USE", message, { directory, ...error.details }, { cause: error });
  }
}
