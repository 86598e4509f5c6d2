// One class: tables, log, engine and flushes share the counters that decide what is durable. Opening is in open-database.ts.
import { type Catalogue, catalogueRows, readCatalogue } from "./catalogue.ts";
import { DiskHealth } from "./disk-health.ts";
import { DatabaseError } from "./errors.ts";
import type { CommitLog } from "./log/commit-log.ts";
import type { LogRecord } from "./log/frame.ts";
import { checkedRows } from "./rows/checked-rows.ts";
import type { KeyValueStore, StoredRow } from "./store.ts";
import type { RecordCache } from "./table/record-cache.ts";
import { Table, type TableUse } from "./table/table.ts";

/**
 * Memory of changed rows, in bytes, above which they are flushed to the engine. Twice as much saves no measurable work,
 * but handing the rows over then holds up the event loop for twice as long.
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
  /** The log's; without one nothing fails. */
  readonly health?: DiskHealth | undefined;
  /** Path of a file whose rows are checked against checksums. */
  readonly checkedFile?: string | undefined;
  readonly flushBytes?: number | undefined;
  readonly flushRows?: number | undefined;
  /** Rows of these tables are kept in memory when read. */
  readonly caches?: Readonly<Record<string, RecordCache>> | undefined;
  /** Records are refused and nothing is flushed: what the log has stays in memory. */
  readonly isReadOnly?: boolean | undefined;
  /** Called when everything is closed. */
  readonly release?: (() => void) | undefined;
}

/** The result of `Database.recover`. */
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
  /** Whether the disk accepts writes. */
  readonly health: DiskHealth;
  readonly #store: KeyValueStore;
  readonly #log: CommitLog | undefined;
  readonly #flushBytes: number;
  readonly #flushRows: number;
  readonly #caches: Readonly<Record<string, RecordCache>>;
  readonly #isReadOnly: boolean;
  readonly #release: () => void;
  readonly #tables = new Map<string, Table>();
  /** Whether rows have checksums, as in an engine that outlives the process. */
  readonly #isChecked: boolean;
  #catalogue: Catalogue = { sequence: 0, tables: [] };
  #sequence: number;
  #flushing: Promise<void> | undefined;
  #copying: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #begun = 0;
  #ended = 0;

  /** @throws DatabaseError `DATABASE_FORMAT`, `DATABASE_DAMAGED` */
  constructor({
    store,
    log,
    health = new DiskHealth({ schedule: () => () => {} }),
    checkedFile,
    flushBytes = DEFAULT_FLUSH_BYTES,
    flushRows = DEFAULT_FLUSH_ROWS,
    caches = {},
    isReadOnly = false,
    release = () => {},
  }: DatabaseParts) {
    this.health = health;
    this.#isChecked = checkedFile !== undefined;
    this.#store = checkedFile === undefined ? store : this.#checked(store, checkedFile);
    this.#log = log;
    this.#flushBytes = flushBytes;
    this.#flushRows = flushRows;
    this.#caches = caches;
    this.#isReadOnly = isReadOnly;
    this.#release = release;
    this.#catalogue = readCatalogue(this.#store);
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
    }, this.#isReadOnly);
    return { replayed, cutBytes: cutBytes ?? 0 };
  }

  /**
   * Makes everything put into tables since the last record one atomic record; to be called in the same turn as the puts.
   * Resolves when it is on disk, however long a disk that fails may take; `health.check` belongs before the puts.
   */
  record(payload: Uint8Array): Promise<void> {
    if (this.#isReadOnly)
      return Promise.reject(
        new DatabaseError("DATABASE_FAILED", "the folder is read-only", { code: "EROFS" }),
      );
    const durable = this.#log?.append({ sequence: ++this.#sequence, payload }) ?? Promise.resolve();
    const fill = this.#fill();
    if (fill <= 1) return durable;
    const flushed = this.flush();
    // A flush fails only when the database is closed before the disk has taken it; the log has it then.
    flushed.catch(() => {});
    return fill > CONGESTED ? durable.then(() => flushed) : durable;
  }

  /** Memory held by rows that the engine does not have yet, in bytes. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.bytes;
    return bytes;
  }

  /** Share of the limits used by rows waiting for the engine; above 1 they are flushed. */
  #fill(): number {
    return Math.max(this.waitingBytes / this.#flushBytes, this.#changedRows() / this.#flushRows);
  }

  #changedRows(): number {
    let rows = 0;
    for (const table of this.#tables.values()) rows += table.changedRows;
    return rows;
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

  /**
   * Copies all that was recorded so far into an empty folder, whatever is recorded meanwhile. A folder in which that was
   * interrupted is refused when it is opened.
   * @throws DatabaseError `DATABASE_FAILED`, also when the database is closed meanwhile, `DATABASE_DAMAGED`,
   *   `DATABASE_IN_USE` while another copy is made, and `DATABASE_FORMAT` where nothing is kept in files
   */
  copyTo(directory: string): Promise<void> {
    if (this.#copying)
      return Promise.reject(new DatabaseError("DATABASE_IN_USE", "another copy of it is being made"));
    this.#copying = this.#copyTo(directory).finally(() => {
      this.#copying = undefined;
    });
    return this.#copying;
  }

  async #copyTo(directory: string): Promise<void> {
    const [log, store] = [this.#log, this.#store];
    if (!log || !store.copyTo)
      throw new DatabaseError("DATABASE_FORMAT", "a chain in memory has no files to copy");
    this.health.check();
    log.beginIn(directory);
    // One that runs already may have begun before the last record.
    await this.health.unlessFailing(this.#flushing ?? Promise.resolve());
    await this.health.unlessFailing(this.flush());
    await store.copyTo(directory, this.#closing.signal);
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

  /**
   * Looks at every page of the engine's file, then reads every row and compares it with its checksum.
   * @throws DatabaseError `DATABASE_DAMAGED`, also when rows are missing
   */
  verifyRows(): void {
    const { rows } = this.#store.size();
    if (!this.#isChecked || rows === 0) return;
    this.#store.checkPages?.();
    let found = catalogueRows(this.#catalogue).length;
    for (const table of this.#tables.values())
      for (const _ of table.stored(new Uint8Array(0), undefined)) found++;
    if (found === rows) return;
    const error = new DatabaseError(
      "DATABASE_DAMAGED",
      `the engine has ${rows} rows, but only ${found} are found`,
    );
    this.health.noteDamage(error);
    throw error;
  }

  /** Writes everything, unless the disk fails, and closes the files. */
  async close(): Promise<void> {
    const isHealthy = this.health.now.state === "healthy";
    this.health.close();
    try {
      await this.#flushing?.catch(() => {});
      if (isHealthy) await this.flush();
    } finally {
      await this.abandon();
    }
  }

  /** Closes without flushing what is in memory: the log has it. */
  async abandon(): Promise<void> {
    this.health.close();
    this.#closing.abort(
      new DatabaseError("DATABASE_FAILED", "the copy was given up: the database is closed"),
    );
    await this.#copying?.catch(() => {}); // the caller of the copy gets the error
    await this.#log?.close();
    await this.#store.close();
    this.#release();
  }

  async #flush(): Promise<void> {
    const sequence = this.#sequence;
    if (this.#isReadOnly || sequence === this.#catalogue.sequence) return;
    this.health.checkDamage();
    const catalogue = { ...this.#catalogue, sequence };
    const tables = [...this.#tables.values()];
    const size = { rows: this.#changedRows(), bytes: this.waitingBytes };
    for (const table of tables) table.rotate();
    this.#begun++;
    // The engine is never ahead of the log, and from here on records go to a segment that the flush does not end.
    const ended = (await this.#log?.roll()) ?? [];
    await this.health.retry("the database", () => this.#store.write(batch(catalogue, tables), size));
    for (const table of tables) table.settle();
    this.#ended++;
    this.#catalogue = { ...this.#catalogue, sequence };
    this.#log?.drop(ended);
  }

  #checked(store: KeyValueStore, file: string): KeyValueStore {
    return checkedRows(store, {
      file,
      tableOf: (key) => this.#catalogue.tables[(key[0] ?? 0) - 1] ?? "catalogue",
      onDamage: (error) => this.health.noteDamage(error),
    });
  }
}

function* batch(catalogue: Catalogue, tables: readonly Table[]): Generator<StoredRow> {
  yield* catalogueRows(catalogue);
  for (const table of tables) yield* table.flushed();
}
