import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Database, open } from "lmdb";
import { DatabaseError } from "../errors.ts";
import type { KeyValueStore } from "../store.ts";

/** Address space, not memory or disk: the file grows as rows come. */
const MAP_BYTES = 2 ** 40;

/** Where the first page of a file says that it is LMDB's, and what it says there, little endian. */
const MAGIC_AT = 24;
const MAGIC = 0xbeef_c0de;

/**
 * Opens the LMDB environment in a folder. Its rows are one ordered map of bytes.
 * @throws DatabaseError `DATABASE_FORMAT` when the file there is another's, which would end the process
 */
export function openLmdbStore(directory: string): KeyValueStore {
  const path = join(directory, "store.mdb");
  checkMagic(path);
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

function checkMagic(path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0) return;
  const page = Buffer.alloc(MAGIC_AT + 4);
  const file = openSync(path, "r");
  try {
    readSync(file, page, 0, page.length, 0);
  } finally {
    closeSync(file);
  }
  if (page.readUInt32LE(MAGIC_AT) === MAGIC) return;
  throw new DatabaseError("DATABASE_FORMAT", `${path} is damaged or no database`, { path });
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
