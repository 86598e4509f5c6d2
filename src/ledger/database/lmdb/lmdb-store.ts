import { closeSync, fsyncSync, openSync, readdirSync, renameSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Database } from "lmdb";
import { type Pace, runPaced } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { DatabaseError } from "../errors.ts";
import { SEGMENT_START } from "../log/frame.ts";
import { segmentNames } from "../log/segment.ts";
import type { BatchSize, KeyValueStore, StoredRow } from "../store.ts";
import { checkPages } from "./check-pages.ts";
import { checkedReads } from "./checked-reads.ts";
import { copyFile } from "./copy-file.ts";
import { diskFullError, isDiskFull, probeDisk } from "./disk-probe.ts";
import { Environment, plain } from "./environment.ts";
import { inspectFile, metaPages, usedBytes } from "./meta-pages.ts";
import { type FilePages, preallocate, sizeAfter } from "./preallocate.ts";
import { UncheckedTree } from "./unchecked-tree.ts";
import { WriteBatch } from "./write-batch.ts";

const FILE = "store.mdb";
/** Tree levels of a larger file that are checked before LMDB opens it: some hundred pages, whatever its size; the others when used. */
const LEVELS_AT_START = 2;
/** Size up to which all pages of a file are checked: 30 ms of CPU time … */
const SMALL_FILE = 2 ** 24;
/** … and 2 s if the previous process was killed, perhaps by a damaged page. */
const SMALL_FILE_OF_KILLED = 2 ** 30;
/** Rows of a batch that are prepared between two looks at the clock. */
const ROWS_PER_STEP = 32;

/**
 * Opens the LMDB environment in a folder as one ordered map of bytes.
 * @throws DatabaseError `DATABASE_FORMAT` if the file is not one of LMDB's, which would crash the process
 */
export function openLmdbStore(directory: string): KeyValueStore {
  return openLmdbFile(join(directory, FILE), { wasKilled: hasLog(directory) });
}

/** Whether a folder has a log with records, as a process leaves it that did not close its database. */
export function hasLog(directory: string): boolean {
  const size = (name: string) => statSync(join(directory, name)).size;
  return segmentNames(readdirSync(directory)).some((name) => size(name) > SEGMENT_START);
}

/**
 * As `openLmdbStore`, for any file; an empty one cannot be opened only for reading.
 * @param isReadOnly - takes no lock and writes nothing; no other process may write the file meanwhile
 * @param wasKilled - the last process that had the file open did not close it
 * @param smallBytes - size up to which all pages are checked now; those of larger files are checked when they are used, and by `checkOn`
 * @param pace - how batches are prepared; by default in time slices
 */
export function openLmdbFile(
  path: string,
  {
    isReadOnly = false,
    wasKilled = false,
    smallBytes = wasKilled ? SMALL_FILE_OF_KILLED : SMALL_FILE,
    pace = new TimeSlice(),
  }: {
    readonly isReadOnly?: boolean;
    readonly wasKilled?: boolean;
    readonly smallBytes?: number;
    readonly pace?: Pace;
  } = {},
): KeyValueStore {
  const { size, missing } = inspectFile(path);
  if (!isReadOnly && missing !== 0) truncateSync(path, size + missing);
  const isNew = size + missing === 0;
  if (isNew && isReadOnly)
    throw new DatabaseError("DATABASE_FORMAT", `${path} has no database in it`, { path });
  const isSmall = size <= smallBytes;
  const start = isNew ? undefined : checkPages(path, isSmall ? undefined : LEVELS_AT_START);
  let unchecked = start && !isSmall ? new UncheckedTree(path, start) : undefined;
  const environment = new Environment(path, { isReadOnly, isNew });
  if (isNew && !isReadOnly) syncNewFile(path);
  const write = async (batch: Iterable<StoredRow>, size: BatchSize): Promise<void> => {
    const prepared = new WriteBatch(environment.env);
    unchecked?.forget();
    await runPaced(pace, addRows(batch, prepared, unchecked));
    try {
      await reserve(path, sizeAfter(size, environment.env.getStats() as FilePages));
      environment.makeWritable();
      await prepared.commit(environment.env);
    } catch (error) {
      const reason = isSystemError(error) ? error : reasonOf(error as Error, path);
      environment.revive();
      unchecked?.forget();
      throw reason;
    }
    unchecked?.forget();
    // Until reset, reads would use an earlier read transaction, which does not see the batch.
    environment.env.resetReadTxn();
  };
  let writing: Promise<void> = Promise.resolve();
  const reads: Pick<KeyValueStore, "get" | "range" | "neighbour"> = {
    get(key) {
      const value = environment.env.getBinaryFast(key);
      return value && plain(value);
    },
    range: (start, end, reverse = false) => environment.range(start, end, reverse),
    neighbour: (key, side) => environment.neighbour(key, side),
  };
  const careful = unchecked && checkedReads(unchecked, reads);
  const now = (): typeof reads => (unchecked && careful) ?? reads;
  const endChecks = (): void => {
    unchecked?.close();
    unchecked = undefined;
  };
  return {
    get: (key) => now().get(key),
    range: (start, end, reverse) => now().range(start, end, reverse),
    neighbour: (key, side) => now().neighbour(key, side),
    write(batch, size = { rows: 0, bytes: 0 }) {
      const written = write(batch, size);
      writing = written.catch(() => {}); // for those who close the environment
      return written;
    },
    async copyTo(directory, signal) {
      const copy = join(directory, FILE);
      const draft = `${copy}.new`;
      // LMDB's own copy function cannot be aborted, and keeps the process alive.
      await environment.withReadTransaction((lost) => {
        const head = metaPages(path);
        const size = usedBytes(head) ?? head.length;
        return copyFile(path, draft, { head, size, signal: AbortSignal.any([signal, lost]) });
      });
      renameSync(draft, copy);
      syncNewFile(copy);
    },
    checkPages() {
      checkPages(path);
      endChecks();
    },
    checkOn(isDue) {
      unchecked?.advance(isDue);
      if (unchecked?.isChecked) endChecks();
      return unchecked !== undefined;
    },
    size: () => ({ rows: rowCount(environment.env), bytes: statSync(path).size }),
    async close() {
      await writing;
      endChecks();
      await environment.close();
      if (!isReadOnly) releaseSpace(path);
    },
  };
}

/**
 * Makes the disk refuse a batch before LMDB writes it: on a failed write LMDB formats its error message into too short a
 * buffer, which may crash the process.
 * @param size - upper bound of the file's size after the batch
 * @throws Error of the system, with its `code`
 */
async function reserve(path: string, size: number): Promise<void> {
  await probeDisk(path, Math.max(0, size - statSync(path).size));
  await preallocate(path, size);
}

/** Truncates a closed file after its last page, if possible: the space is only needed by further batches. */
function releaseSpace(path: string): void {
  try {
    const used = usedBytes(metaPages(path));
    if (used !== undefined && used < statSync(path).size) truncateSync(path, used);
  } catch {}
}

/** Whether an error is of the system, with a code such as `ENOSPC`; those of LMDB have numbers. */
function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === "string";
}

/**
 * Collects the rows of a batch: thousands of them take longer than the thread may be held.
 * @param unchecked - the pages that the rows go to, if they have not been checked
 */
function* addRows(
  batch: Iterable<StoredRow>,
  into: WriteBatch,
  unchecked: UncheckedTree | undefined,
): Generator<void> {
  let added = 0;
  for (const row of batch) {
    if (row.value) unchecked?.check(row.key);
    else unchecked?.checkAround(row.key);
    into.add(row);
    if (++added % ROWS_PER_STEP === 0) yield;
  }
}

/** LMDB reports every failed write as an I/O error; a full disk is recognised here. */
function reasonOf(cause: Error, path: string): Error {
  if (isDiskFull(path)) return diskFullError(path);
  const code = /read-only/i.test(cause.message) ? "EROFS" : "EIO";
  return Object.assign(new Error(`${code}: ${cause.message}, ${path}`, { cause }), { code });
}

/** A new file survives a power loss only if both it and its folder have been synced. */
function syncNewFile(path: string): void {
  for (const name of process.platform === "win32" ? [path] : [path, dirname(path)]) {
    const file = openSync(name, name === path ? "r+" : "r");
    fsyncSync(file);
    closeSync(file);
  }
}

function rowCount(env: Database): number {
  return (env.getStats() as { entryCount: number }).entryCount;
}
