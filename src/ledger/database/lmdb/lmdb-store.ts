import { closeSync, fsyncSync, openSync, readdirSync, renameSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Database } from "lmdb";
import { segmentNames } from "../log/segment.ts";
import type { KeyValueStore } from "../store.ts";
import { checkPages } from "./check-pages.ts";
import { copyFile } from "./copy-file.ts";
import { isWithoutRoom, probeDisk, withoutRoom } from "./disk-probe.ts";
import { Environment, plain } from "./environment.ts";
import { firstPages, lookAt } from "./first-pages.ts";

const FILE = "store.mdb";
/** Levels of pages that are looked at before LMDB reads any of a larger file: some hundred pages, whatever its size. */
const LEVELS_AT_START = 2;
/** Bytes of a file of which all pages are looked at: 30 ms of processor time … */
const SMALL_FILE = 2 ** 24;
/** … and where the process before was ended by something, a damaged page perhaps, 2 s. */
const SMALL_FILE_OF_KILLED = 2 ** 30;

/**
 * Opens the LMDB environment in a folder. Its rows are one ordered map of bytes.
 * @throws DatabaseError `DATABASE_FORMAT` when the file there is another's, which would end the process
 */
export function openLmdbStore(directory: string): KeyValueStore {
  const isLogEmpty = (name: string) => statSync(join(directory, name)).size === 0;
  const wasKilled = !segmentNames(readdirSync(directory)).every(isLogEmpty);
  return openLmdbFile(join(directory, FILE), { wasKilled });
}

/**
 * The same in any file.
 * @param isReadOnly - takes no lock and touches nothing: no process may write the file meanwhile
 * @param wasKilled - the process that had it open did not close it
 */
export function openLmdbFile(
  path: string,
  {
    isReadOnly = false,
    wasKilled = false,
  }: { readonly isReadOnly?: boolean; readonly wasKilled?: boolean } = {},
): KeyValueStore {
  const { size, missing } = lookAt(path);
  if (!isReadOnly && missing !== 0) truncateSync(path, size + missing);
  const isNew = size + missing === 0;
  const isSmall = size <= (wasKilled ? SMALL_FILE_OF_KILLED : SMALL_FILE);
  if (!isNew) checkPages(path, isSmall ? undefined : LEVELS_AT_START);
  const environment = new Environment(path, { isReadOnly, isNew });
  if (isNew && !isReadOnly) syncNewFile(path);
  return {
    get(key) {
      const value = environment.env.getBinaryFast(key);
      return value && plain(value);
    },
    range: (start, end, reverse = false) => environment.range(start, end, reverse),
    neighbour: (key, side) => environment.neighbour(key, side),
    async write(batch, size = { rows: 0, bytes: 0 }) {
      await probeDisk(path, size);
      try {
        environment.makeWritable();
        await environment.env.batch(() => {
          const { env } = environment;
          for (const { key, value } of batch) unheard(value ? env.put(key, value) : env.remove(key));
        });
      } catch (error) {
        const reason = await reasonOf(error as CommitError, path);
        environment.revive();
        throw reason;
      }
      // Reads go on in the transaction they opened earlier, which does not see the batch.
      environment.env.resetReadTxn();
    },
    async copyTo(directory, signal) {
      const copy = join(directory, FILE);
      const draft = `${copy}.new`;
      // LMDB's own copying cannot be given up, and holds the process.
      await environment.whileKept((lost) =>
        copyFile(path, draft, { head: firstPages(path), signal: AbortSignal.any([signal, lost]) }),
      );
      renameSync(draft, copy);
      syncNewFile(copy);
    },
    checkPages: () => void checkPages(path),
    size: () => ({ rows: rowCount(environment.env), bytes: statSync(path).size }),
    close: () => environment.close(),
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

/** LMDB reports every failed write as an I/O error; a full disk is recognised here. */
async function reasonOf(error: CommitError, path: string): Promise<Error> {
  const cause: Error = (await error.commitError?.catch((reason: Error) => reason)) ?? error;
  if (isWithoutRoom(path)) return withoutRoom(path);
  const code = /read-only/i.test(cause.message) ? "EROFS" : "EIO";
  return Object.assign(new Error(`${code}: ${cause.message}, ${path}`, { cause }), { code });
}

/** A new file is there after a power loss only when it and its folder were synced. */
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
