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
  /** Folder of the database; created if missing. Not used by the in-memory engine. */
  readonly directory?: string;
  /** Disk, for an engine that outlives the process. */
  readonly files?: Files;
  /** The caller only reads: a folder on a read-only medium is opened without writing or locking, so no process may write it. */
  readonly isReadOnly?: boolean | undefined;
  /** Schedules retries on a failing disk. */
  readonly timers?: Timers;
  /**
   * `archive` keeps the state of every block from now on; `recent` keeps those of the last `recentBlocks` blocks, of the
   * first block and of every 128th. Absent: the mode the database was last opened in, `recent` for a new one.
   */
  readonly history?: "recent" | "archive";
  readonly recentBlocks?: number;
  /** Cache for trie nodes, allocated as needed. */
  readonly cacheBytes?: number;
  /** Buffer for changes not yet flushed to the engine, allocated as needed. */
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
    isReadOnly,
    flushBytes,
    cacheBytes = DEFAULT_CACHE_BYTES,
  } = options;
  const caches = { [NODE_TABLE]: new RecordCache(cacheBytes) };
  const database = await openDatabase(
    { engine, directory, files, timers, isReadOnly },
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
