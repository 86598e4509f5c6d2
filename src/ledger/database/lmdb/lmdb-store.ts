import {
  closeSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  statfsSync,
  statSync,
  truncateSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Database, open } from "lmdb";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { DatabaseError } from "../errors.ts";
import type { KeyValueStore } from "../store.ts";
import { copyFile } from "./copy-file.ts";

const FILE = "store.mdb";
/** Address space, not memory or disk: the file grows as rows come. */
const MAP_BYTES = 2 ** 40;

/** Before all keys. */
const FIRST = Uint8Array.of(0);

/** What the first two pages of a file say, one for each of the two newest transactions, little endian: that it is LMDB's. */
const MAGIC_AT = 24;
const MAGIC = 0xbeef_c0de;
/** … the size of a page (4 bytes), */
const PAGE_SIZE_AT = 48;
/** … the first pages of free pages and of rows (8 bytes each), NO_PAGE for none, */
const ROOTS_AT = [88, 136];
const NO_PAGE = MAX_UINT64;
/** … the number of the last page (8 bytes), */
const LAST_PAGE_AT = 144;
/** … and the number of the transaction (8 bytes): the higher one counts. */
const TRANSACTION_AT = 152;
/** Each page begins with its number (8 bytes); what it is for follows (2 bytes): keys to pages, or rows. */
const KIND_AT = 18;
const IS_TREE = 3;
const LEAST_PAGE = 4096;
/** Pages of a file without rows; a batch adds more. */
const NEW_PAGES = 2;
const PAGE_SIZES: ReadonlySet<number> = new Set([LEAST_PAGE, 8192, 16_384, 32_768, 65_536]);
/** A file that lacks more than this was not cut: a page number is damaged. */
const LARGEST_GAP = 2 ** 36;
/** A disk with less room than a batch may take counts as full. */
const LEAST_ROOM = 1 << 20;
/**
 * A batch is handed over whole before it is begun: else lmdb sleeps for a millisecond at each row after the first 300,000.
 * Its types do not know of this option.
 */
const BATCHES = { batchStartThreshold: Number.MAX_SAFE_INTEGER };
/** Bytes of a page that are read here. */
const META_SIZE = 160;

/**
 * Opens the LMDB environment in a folder. Its rows are one ordered map of bytes.
 * @throws DatabaseError `DATABASE_FORMAT` when the file there is another's, which would end the process
 */
export function openLmdbStore(directory: string): KeyValueStore {
  return openLmdbFile(join(directory, FILE));
}

/**
 * The same in any file.
 * @param isReadOnly - takes no lock and touches nothing: no process may write the file meanwhile
 */
export function openLmdbFile(path: string, isReadOnly = false): KeyValueStore {
  const { size, missing } = lookAt(path);
  if (!isReadOnly && missing !== 0) truncateSync(path, size + missing);
  const isNew = size + missing === 0;
  const env = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: true,
    keyEncoding: "binary",
    encoding: "binary",
    mapSize: MAP_BYTES,
    readOnly: isReadOnly,
    noMemInit: true,
    // A batch is large and rare: its pages are on disk before the page that makes them count is written.
    overlappingSync: false,
    ...BATCHES,
  });
  if (isNew && !isReadOnly) syncNewFile(path);
  const neighbours = { below: neighbour(env, true), from: neighbour(env, false) };
  return {
    get(key) {
      const value = env.getBinaryFast(key);
      return value && plain(value);
    },
    *range(start, end, reverse = false) {
      const bounds = reverse
        ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true }
        : { start, end };
      for (const { key, value } of env.getRange(bounds)) yield [plain(key), plain(value)];
    },
    neighbour: (key, side) => neighbours[side](key),
    async write(batch) {
      try {
        const written = env.batch(() => {
          for (const { key, value } of batch) unheard(value ? env.put(key, value) : env.remove(key));
        });
        // A promise of its own for the end of a batch, which is rejected too.
        env.committed.then(ignore, ignore);
        await written;
      } catch (error) {
        throw await reasonOf(error as CommitError, path);
      }
      // Reads go on in the transaction they opened earlier, which does not see the batch.
      env.resetReadTxn();
    },
    async copyTo(directory, signal) {
      const copy = join(directory, FILE);
      const draft = `${copy}.new`;
      env.resetReadTxn();
      // Keeps the pages of this moment from being used again. LMDB's own copying cannot be given up, and holds the process.
      const reading = env.useReadTransaction();
      try {
        await copyFile(path, draft, { head: firstPages(path), signal });
      } finally {
        reading.done();
      }
      renameSync(draft, copy);
      syncNewFile(copy);
    },
    size: () => ({ rows: rowCount(env), bytes: statSync(path).size }),
    close: () => env.close(),
  };
}

/**
 * The row beside a key. A range costs 9 µs to make and 3 µs to begin, and reads its start when it begins: one is made.
 * @param reverse - below the key, otherwise from it on
 */
function neighbour(
  env: Database<Uint8Array, Uint8Array>,
  reverse: boolean,
): (key: Uint8Array) => readonly [Uint8Array, Uint8Array] | undefined {
  const bounds = { start: FIRST as Uint8Array, limit: 1, reverse, exclusiveStart: reverse };
  const rows = env.getRange(bounds);
  return (start) => {
    bounds.start = start;
    const [row] = rows;
    return row && [plain(row.key), plain(row.value)];
  };
}

/** How lmdb rejects a batch; why follows. */
interface CommitError extends Error {
  readonly commitError?: Promise<never>;
}

/** A row of a batch fails with the batch, which tells. */
function unheard(written: Promise<boolean>): void {
  written.catch?.(ignore);
}

function ignore(): void {}

/** LMDB calls whatever a disk does not take an error of input and output; a disk without room is told apart. */
async function reasonOf(error: CommitError, path: string): Promise<Error> {
  const cause: Error = (await error.commitError?.catch((reason: Error) => reason)) ?? error;
  const isFull = isWithoutRoom(path);
  const code = isFull ? "ENOSPC" : /read-only/i.test(cause.message) ? "EROFS" : "EIO";
  const text = isFull ? "no space left on device" : cause.message;
  return Object.assign(new Error(`${code}: ${text}, ${path}`, { cause }), { code });
}

function isWithoutRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize < LEAST_ROOM;
}

/** The two pages that say where all others begin, as they are between two batches: each is written in one go. */
function firstPages(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const { pageSize = LEAST_PAGE } = readMeta(file, 0) ?? {};
    const [once, again] = [Buffer.alloc(2 * pageSize), Buffer.alloc(2 * pageSize)];
    do {
      readSync(file, once, 0, once.length, 0);
      readSync(file, again, 0, again.length, 0);
    } while (!once.equals(again));
    return once;
  } finally {
    closeSync(file);
  }
}

/** A new file is there after a power loss only when it and its folder were synced. */
function syncNewFile(path: string): void {
  for (const name of process.platform === "win32" ? [path] : [path, dirname(path)]) {
    const file = openSync(name, name === path ? "r+" : "r");
    fsyncSync(file);
    closeSync(file);
  }
}

/**
 * Pages behind the end of a file end the process when they are read. LMDB leaves out pages at the end that were given back
 * before they were written, so a short file is filled up, not refused: what was cut off reads as damaged pages.
 * @returns its size, and the bytes to fill up; below 0 all to cut off, where a power loss left a part of a new file
 * @throws DatabaseError `DATABASE_FORMAT`
 */
function lookAt(path: string): { readonly size: number; readonly missing: number } {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0) return { size, missing: 0 };
  const file = openSync(path, "r");
  try {
    const first = readMeta(file, 0);
    const second = first && readMeta(file, first.pageSize);
    const wanted = first && second && (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
    if (wanted === undefined && isUnfinished(file, size, first?.pageSize ?? LEAST_PAGE))
      return { size, missing: -size };
    if (!first || !second || wanted === undefined || wanted > MAP_BYTES || wanted - size > LARGEST_GAP)
      throw new DatabaseError("DATABASE_FORMAT", `${path} is damaged at its first pages or no database`, {
        path,
      });
    checkRoots(file, path, second.transaction > first.transaction ? second : first);
    return { size, missing: Math.max(0, wanted - size) };
  } finally {
    closeSync(file);
  }
}

/** Whether there is nothing but what LMDB writes into a new file, or zeros where it has not been written. */
function isUnfinished(file: number, size: number, pageSize: number): boolean {
  if (size > NEW_PAGES * pageSize) return false;
  const bytes = Buffer.alloc(size);
  readSync(file, bytes, 0, size, 0);
  for (let at = 0; at < size; at += pageSize) {
    const page = bytes.subarray(at, at + pageSize);
    const isMeta = page.length >= META_SIZE && page.readUInt32LE(MAGIC_AT) === MAGIC;
    if (!isMeta && page.subarray(0, META_SIZE).some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** What a page of the two first ones says. */
interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly roots: readonly bigint[];
}

/** Checks the first page of each tree, which LMDB reads before anything can be refused. @throws DatabaseError `DATABASE_DAMAGED` */
function checkRoots(file: number, path: string, { roots, pageSize, lastPage }: Meta): void {
  for (const root of roots) {
    if (root === NO_PAGE) continue;
    const page = Buffer.alloc(KIND_AT + 2);
    if (root <= lastPage) readSync(file, page, 0, page.length, Number(root) * pageSize);
    if (page.readBigUInt64LE(0) === root && (page.readUInt16LE(KIND_AT) & IS_TREE) !== 0) continue;
    throw new DatabaseError("DATABASE_DAMAGED", `${path} is damaged at page ${root}`, { path, page: root });
  }
}

/** @returns undefined where there is no page that describes a database of LMDB */
function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(META_SIZE);
  readSync(file, page, 0, page.length, at);
  const pageSize = page.readUInt32LE(PAGE_SIZE_AT);
  if (page.readUInt32LE(MAGIC_AT) !== MAGIC || !PAGE_SIZES.has(pageSize)) return undefined;
  return {
    pageSize,
    lastPage: Number(page.readBigUInt64LE(LAST_PAGE_AT)),
    transaction: page.readBigUInt64LE(TRANSACTION_AT),
    roots: ROOTS_AT.map((root) => page.readBigUInt64LE(root)),
  };
}

/**
 * A plain view of a buffer: the `slice` of a Buffer would not copy, and `getBinaryFast` returns a long buffer of its own
 * with a shortened `length`.
 */
function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}

function rowCount(env: Database): number {
  return (env.getStats() as { entryCount: number }).entryCount;
}
