import { closeSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { type Database, open } from "lmdb";
import { DatabaseError } from "../errors.ts";
import type { KeyValueStore } from "../store.ts";

/** Address space, not memory or disk: the file grows as rows come. */
const MAP_BYTES = 2 ** 40;

/** What the first two pages of a file say, one for each of the two newest transactions, little endian: that it is LMDB's. */
const MAGIC_AT = 24;
const MAGIC = 0xbeef_c0de;
/** … the size of a page (4 bytes), */
const PAGE_SIZE_AT = 48;
/** … and the number of the last page (8 bytes). */
const LAST_PAGE_AT = 144;
/** Bytes of a page that are read here. */
const META_SIZE = 152;

/**
 * Opens the LMDB environment in a folder. Its rows are one ordered map of bytes.
 * @throws DatabaseError `DATABASE_FORMAT` when the file there is another's, which would end the process
 */
export function openLmdbStore(directory: string): KeyValueStore {
  const path = join(directory, "store.mdb");
  checkFile(path);
  const env = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: true,
    keyEncoding: "binary",
    encoding: "binary",
    mapSize: MAP_BYTES,
    noMemInit: true,
  });
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
    async write(batch) {
      await env.batch(() => {
        for (const { key, value } of batch) value ? env.put(key, value) : env.remove(key);
      });
      await env.flushed;
      // Reads go on in the transaction they opened earlier, which does not see the batch.
      env.resetReadTxn();
    },
    size: () => ({ rows: rowCount(env), bytes: statSync(path).size }),
    close: () => env.close(),
  };
}

/**
 * Pages behind the end of a file end the process when they are read. LMDB leaves out pages at the end that were given back
 * before they were written, so a short file is filled up, not refused: what was cut off reads as damaged pages.
 */
function checkFile(path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0) return;
  const file = openSync(path, "r");
  try {
    const first = readMeta(file, 0);
    const second = first && readMeta(file, first.pageSize);
    const wanted = first && (Math.max(first.lastPage, second?.lastPage ?? 0) + 1) * first.pageSize;
    if (wanted === undefined || wanted > MAP_BYTES)
      throw new DatabaseError("DATABASE_FORMAT", `${path} is damaged or no database`, { path });
    if (size < wanted) truncateSync(path, wanted);
  } finally {
    closeSync(file);
  }
}

/** @returns undefined where there is no page that describes a database of LMDB */
function readMeta(
  file: number,
  at: number,
): { readonly pageSize: number; readonly lastPage: number } | undefined {
  const page = Buffer.alloc(META_SIZE);
  readSync(file, page, 0, page.length, at);
  if (page.readUInt32LE(MAGIC_AT) !== MAGIC) return undefined;
  return { pageSize: page.readUInt32LE(PAGE_SIZE_AT), lastPage: Number(page.readBigUInt64LE(LAST_PAGE_AT)) };
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
