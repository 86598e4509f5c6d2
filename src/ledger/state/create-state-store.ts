import type { Files } from "../../platform/runtime/files.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { Database } from "../database/database.ts";
import type { EngineName } from "../database/engines.ts";
import { openDatabase } from "../database/open-database.ts";
import { RecordCache } from "../database/table/record-cache.ts";
import type { StateStore } from "./state.ts";
import { DatabaseStateStore } from "./store/database-state-store.ts";
import { NODE_TABLE } from "./store/tables.ts";

const DEFAULT_RECENT_BLOCKS = 128;
/** Holds the inner nodes of about 300,000 accounts. */
const DEFAULT_CACHE_BYTES = 32 << 20;

/** Engine, folder and history of a state store. */
export interface StateStoreOptions {
  readonly engine: EngineName;
  /** Folder of the database; made when it is not there. Not used by an engine in memory. */
  readonly directory?: string;
  /** Disk, for an engine that outlives the process. */
  readonly files?: Files;
  /** Opens without writing: a folder on a read-only medium does, which no process may write meanwhile. */
  readonly isOnlyRead?: boolean | undefined;
  /** When a disk that failed is tried again. */
  readonly timers?: Timers;
  /**
   * `archive` keeps the state after every block from now on, `recent` after the last `recentBlocks` ones, the first, and
   * every 128th. Absent: as the database was opened last, `recent` in a new one.
   */
  readonly history?: "recent" | "archive";
  readonly recentBlocks?: number;
  /** Memory for trie nodes that were read, taken as it is needed. */
  readonly cacheBytes?: number;
  /** Memory for changes before they are written to the engine, taken as it is needed. */
  readonly flushBytes?: number;
}

/**
 * Opens the chain's database.
 * @throws DatabaseError `DATABASE_IN_USE`, `DATABASE_FORMAT`, `LOG_DAMAGED`; StateError `STATE_DAMAGED`
 */
export async function createStateStore(options: StateStoreOptions): Promise<StateStore> {
  const {
    engine,
    directory,
    files,
    timers,
    isOnlyRead,
    flushBytes,
    cacheBytes = DEFAULT_CACHE_BYTES,
  } = options;
  const caches = { [NODE_TABLE]: new RecordCache(cacheBytes) };
  const database = await openDatabase(
    { engine, directory, files, timers, isOnlyRead },
    { flushBytes, caches },
  );
  return openOrAbandon(database, options);
}

async function openOrAbandon(database: Database, options: StateStoreOptions): Promise<StateStore> {
  const { recentBlocks = DEFAULT_RECENT_BLOCKS, history } = options;
  try {
    return new DatabaseStateStore(database, { recentBlocks, archive: history && history === "archive" });
  } catch (error) {
    await database.abandon();
    throw error;
  }
}
