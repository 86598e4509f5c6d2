import { RuntimeError } from "../../platform/runtime/errors.ts";
import type { Files } from "../../platform/runtime/files.ts";
import { type Catalogue, catalogueRows, readCatalogue } from "./catalogue.ts";
import { type Engine, type EngineName, engines } from "./engines.ts";
import { DatabaseError } from "./errors.ts";
import { CommitLog, isLogContinued } from "./log/commit-log.ts";
import type { LogRecord } from "./log/frame.ts";
import type { KeyValueStore, StoredRow } from "./store.ts";
import type { RecordCache } from "./table/record-cache.ts";
import { Table, type TableUse } from "./table/table.ts";

/**
 * Memory of changed rows, in bytes, above which they are written to the engine. Twice as much saves no measurable work, but
 * handing the rows over then holds up the event loop for twice as long.
 */
const DEFAULT_FLUSH_BYTES = 16 << 20;
/**
 * Changed rows from which they are written. A row that hashes to anywhere dirties a page of 4 KiB of the engine, which keeps
 * the memory for its next batch: so many rows bound that memory to 128 MiB, whatever the size of the database.
 */
const DEFAULT_FLUSH_ROWS = 32_768;
/** Multiple of these from which a record is acknowledged only after a flush, so that memory stays bounded. */
const CONGESTED = 4;

/** The parts of a database; `openDatabase` makes them from options. */
export interface DatabaseParts {
  readonly store: KeyValueStore;
  /** Undefined where nothing outlives the process. */
  readonly log?: CommitLog | undefined;
  readonly flushBytes?: number | undefined;
  readonly flushRows?: number | undefined;
  /** Rows of these tables are kept in memory when read. */
  readonly caches?: Readonly<Record<string, RecordCache>> | undefined;
  /** Called when all is closed. */
  readonly release?: (() => void) | undefined;
}

/** What `Database.recover` found. */
export interface Recovery {
  /** Records that were in the log and not yet in the engine. */
  readonly replayed: number;
  /** Bytes of a record that was being written when the process died, and was never acknowledged. */
  readonly cutBytes: number;
}

/**
 * Tables whose changes become durable together. A change is put into tables and then recorded: the log has it at once,
 * the engine with the next flush; at open the records since are handed back to be put again.
 */
export class Database {
  readonly #store: KeyValueStore;
  readonly #log: CommitLog | undefined;
  readonly #flushBytes: number;
  readonly #flushRows: number;
  readonly #caches: Readonly<Record<string, RecordCache>>;
  readonly #release: () => void;
  readonly #tables = new Map<string, Table>();
  #catalogue: Catalogue;
  #sequence: number;
  #flushing: Promise<void> | undefined;
  #begun = 0;
  #ended = 0;
  #failure: DatabaseError | undefined;

  /** @throws DatabaseError `DATABASE_FORMAT` */
  constructor({
    store,
    log,
    flushBytes = DEFAULT_FLUSH_BYTES,
    flushRows = DEFAULT_FLUSH_ROWS,
    caches = {},
    release = () => {},
  }: DatabaseParts) {
    this.#store = store;
    this.#log = log;
    this.#flushBytes = flushBytes;
    this.#flushRows = flushRows;
    this.#caches = caches;
    this.#release = release;
    this.#catalogue = readCatalogue(store);
    this.#sequence = this.#catalogue.sequence;
    for (const name of this.#catalogue.tables) this.table(name);
  }

  /** Number of records so far. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Names of the tables that have been used. */
  get tableNames(): readonly string[] {
    return this.#catalogue.tables;
  }

  /** The table of a name, made when it is new. */
  table(name: string): Table {
    const known = this.#tables.get(name);
    if (known) return known;
    const { tables } = this.#catalogue;
    if (!tables.includes(name)) this.#catalogue = { ...this.#catalogue, tables: [...tables, name] };
    const table = new Table(this.#catalogue.tables.indexOf(name) + 1, this.#store, this.#caches[name]);
    this.#tables.set(name, table);
    return table;
  }

  /**
   * Hands the records that the engine does not have to `replay`, which puts them into tables again. To be called once,
   * before the first record.
   * @throws DatabaseError `LOG_DAMAGED`
   */
  recover(replay: (payload: Uint8Array) => void): Recovery {
    let replayed = 0;
    const cutBytes = this.#log?.open(({ sequence, payload }: LogRecord) => {
      // By sequence, not by block number, which a reorganisation uses again.
      if (sequence <= this.#sequence) return;
      if (sequence !== this.#sequence + 1)
        throw new DatabaseError("LOG_DAMAGED", `records after ${this.#sequence} are missing`, {
          next: sequence,
        });
      replay(payload);
      this.#sequence = sequence;
      replayed++;
    });
    return { replayed, cutBytes: cutBytes ?? 0 };
  }

  /**
   * Makes everything put into tables since the last record one atomic record; to be called in the same turn as the puts.
   * Resolves when it is on disk.
   */
  record(payload: Uint8Array): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    const durable = this.#log?.append({ sequence: ++this.#sequence, payload }) ?? Promise.resolve();
    const fill = this.#fill();
    if (fill <= 1) return durable;
    const flushed = this.flush();
    // Whoever waits for the record hears of a failed flush there, or with the next record.
    flushed.catch(() => {});
    return fill > CONGESTED ? durable.then(() => flushed) : durable;
  }

  /** Memory held by rows that the engine does not have yet, in bytes. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.bytes;
    return bytes;
  }

  /** How much of what may wait for the engine does; above 1 it is written. */
  #fill(): number {
    let rows = 0;
    for (const table of this.#tables.values()) rows += table.changedRows;
    return Math.max(this.waitingBytes / this.#flushBytes, rows / this.#flushRows);
  }

  /** Flushes begun and ended since the database was opened. A flush takes all records before its beginning. */
  get flushes(): { readonly begun: number; readonly ended: number } {
    return { begun: this.#begun, ended: this.#ended };
  }

  /** Writes the records to the engine, all of them unless one runs already; resolves when it has them. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** What was done with each table since the database was opened, and the memory its changes take. */
  get use(): ReadonlyMap<string, TableUse & { readonly waitingBytes: number }> {
    const tables = [...this.#tables];
    return new Map(tables.map(([name, table]) => [name, { ...table.use, waitingBytes: table.bytes }]));
  }

  /** What was written to the log since the database was opened. */
  get logged(): { readonly records: number; readonly writes: number; readonly bytes: number } {
    return { records: this.#sequence, ...(this.#log?.written ?? { writes: 0, bytes: 0 }) };
  }

  /** Sizes on disk, in bytes, and the number of rows in the engine. */
  size(): { readonly rows: number; readonly storeBytes: number; readonly logBytes: number } {
    const { rows, bytes } = this.#store.size();
    return { rows, storeBytes: bytes, logBytes: this.#log?.bytes ?? 0 };
  }

  /** Writes everything and gives the files back. */
  async close(): Promise<void> {
    try {
      await this.#flushing;
      if (!this.#failure) await this.flush();
    } finally {
      await this.abandon();
    }
  }

  /** Closes without writing what waits in memory: the log has it. */
  async abandon(): Promise<void> {
    await this.#log?.close();
    await this.#store.close();
    this.#release();
  }

  async #flush(): Promise<void> {
    try {
      const sequence = this.#sequence;
      if (sequence === this.#catalogue.sequence) return;
      const catalogue = { ...this.#catalogue, sequence };
      const tables = [...this.#tables.values()];
      for (const table of tables) table.rotate();
      this.#begun++;
      // The engine is never ahead of the log, and from here on records go to a segment that the flush does not end.
      const ended = (await this.#log?.roll()) ?? [];
      await this.#store.write(batch(catalogue, tables));
      for (const table of tables) table.settle();
      this.#ended++;
      this.#catalogue = { ...this.#catalogue, sequence };
      this.#log?.drop(ended);
    } catch (cause) {
      const message = `changes cannot be written: ${(cause as Error).message}`;
      this.#failure = new DatabaseError("DATABASE_FAILED", message, {}, { cause });
      throw this.#failure;
    }
  }
}

function* batch(catalogue: Catalogue, tables: readonly Table[]): Generator<StoredRow> {
  yield* catalogueRows(catalogue);
  for (const table of tables) yield* table.flushed();
}

/** Where a database is kept. */
export interface DatabaseLocation {
  readonly engine: EngineName;
  /** Made when it is not there; not used by an engine in memory. */
  readonly directory?: string | undefined;
  /** Disk, for an engine that outlives the process. */
  readonly files?: Files | undefined;
}

/**
 * Opens a database, which one process at a time can do.
 * @throws DatabaseError `DATABASE_IN_USE`, `DATABASE_FORMAT`, `DATABASE_MISSING`
 */
export async function openDatabase(
  { engine, directory, files }: DatabaseLocation,
  tuning: Pick<DatabaseParts, "flushBytes" | "caches"> = {},
): Promise<Database> {
  const { persistent, open }: Engine = engines[engine];
  if (!persistent) return new Database({ ...tuning, store: await open("") });
  if (directory === undefined || !files) throw new TypeError(`engine ${engine} needs a directory and files`);
  files.createDirectory(directory);
  const release = lock(files, directory);
  try {
    const store = await open(directory);
    try {
      checkEngine(store, files, directory);
      return new Database({ ...tuning, store, log: new CommitLog(files, directory), release });
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** An empty engine beside a log that goes on from one has lost its file: what follows would be another chain. */
function checkEngine(store: KeyValueStore, files: Files, directory: string): void {
  if (store.size().rows > 0 || !isLogContinued(files.list(directory))) return;
  const message = `the database in ${directory} has lost its file store.mdb: put it back, or remove the folder to begin anew`;
  throw new DatabaseError("DATABASE_MISSING", message, { directory });
}

function lock(files: Files, directory: string): () => void {
  try {
    return files.lock(`${directory}/LOCK`);
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const message = `the data folder ${directory} is used by another process`;
    throw new DatabaseError("DATABASE_IN_USE", message, { directory, ...error.details }, { cause: error });
  }
}
