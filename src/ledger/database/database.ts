// One class: tables, log, engine and flushes share the counters that decide what is durable. For opening, see open-database.ts.
import { runPaced } from "../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { type Catalogue, catalogueRows, readCatalogue } from "./catalogue.ts";
import { DiskHealth } from "./disk-health.ts";
import { DatabaseError } from "./errors.ts";
import type { CommitLog } from "./log/commit-log.ts";
import type { LogRecord } from "./log/frame.ts";
import { type SegmentRange, segmentNumber } from "./log/segment.ts";
import { checkedRows } from "./rows/checked-rows.ts";
import type { KeyValueStore, StoredRow } from "./store.ts";
import type { RecordCache } from "./table/record-cache.ts";
import { Table, type TableUsage } from "./table/table.ts";

/**
 * Memory of changed rows, in bytes, above which they are flushed to the engine. Twice as much saves no measurable work,
 * but blocks the event loop for twice as long when the rows are handed over.
 */
const DEFAULT_FLUSH_BYTES = 16 << 20;
/**
 * Number of changed rows above which they are flushed. A row with a hashed key dirties a 4 KiB page of the engine, which
 * keeps that memory for its next batch: this limit bounds it to 128 MiB, whatever the size of the database.
 */
const DEFAULT_FLUSH_ROWS = 32_768;
/** Multiple of these limits above which records are acknowledged only after a flush, so that memory stays bounded. */
const CONGESTED = 4;

/** The parts of a database, which `openDatabase` creates from its options. */
export interface DatabaseParts {
  readonly store: KeyValueStore;
  /** Undefined if nothing outlives the process. */
  readonly log?: CommitLog | undefined;
  /** The same as the log's. */
  readonly health?: DiskHealth | undefined;
  /** Path of the engine's file if its rows have checksums. */
  readonly checkedFile?: string | undefined;
  readonly flushBytes?: number | undefined;
  readonly flushRows?: number | undefined;
  /** Read caches by table name. */
  readonly caches?: Readonly<Record<string, RecordCache>> | undefined;
  /** Where the engine's unreadable file was moved, in place of which there is a new one. */
  readonly keptAs?: string | undefined;
  /** Records are refused and nothing is flushed; rows replayed from the log stay in memory. */
  readonly isReadOnly?: boolean | undefined;
  /** Called once everything is closed. */
  readonly release?: (() => void) | undefined;
}

/** The result of `Database.recover`. */
export interface Recovery {
  /** Records found in the log but not yet in the engine. */
  readonly replayed: number;
  /** Bytes of a torn record, which was being written when the process died and was never acknowledged. */
  readonly truncatedBytes: number;
  /** The file that it was at the end of. */
  readonly tornFile?: string;
  /** The engine's file, if it had no rows, being new, lost or unreadable, so that all rows come from the log. */
  readonly rebuiltFile?: string;
  /** Where an unreadable one was moved. */
  readonly keptAs?: string;
}

/**
 * Tables whose changes become durable together, by a write-ahead log. Rows are put into tables and then recorded: the
 * record goes to the log at once, the rows to the engine with the next flush. On opening, the records since the last flush
 * are replayed.
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
  readonly #rebuilt: Pick<Recovery, "rebuiltFile" | "keptAs">;
  readonly #release: () => void;
  readonly #tables = new Map<string, Table>();
  /** Whether rows have checksums, as in an engine that outlives the process. */
  readonly #isChecked: boolean;
  #catalogue: Catalogue = { sequence: 0, tables: [] };
  #sequence: number;
  #flushing: Promise<void> | undefined;
  /** Pending until the engine notes the log's segments: until then, their loss would not be noticed. */
  #noting: Promise<void> | undefined;
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
    keptAs,
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
    const isEmpty = checkedFile !== undefined && store.size().rows === 0;
    this.#rebuilt = isEmpty ? { rebuiltFile: checkedFile, ...(keptAs && { keptAs }) } : {};
    this.#release = release;
    this.#catalogue = readCatalogue(this.#store);
    this.#sequence = this.#catalogue.sequence;
    for (const name of this.#catalogue.tables) this.table(name);
  }

  /** Sequence number of the last record. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Names of all tables ever used. */
  get tableNames(): readonly string[] {
    return this.#catalogue.tables;
  }

  /** The table with a name, created if new. */
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
   * Passes the records missing from the engine to `replay`, which must put their rows again. To be called once, before
   * the first record.
   * @throws DatabaseError `LOG_DAMAGED`
   */
  recover(replay: (payload: Uint8Array) => void): Recovery {
    let replayed = 0;
    const onRecord = ({ sequence, payload }: LogRecord, path: string): void => {
      // By sequence, not by block number, which a reorganisation reuses.
      if (sequence <= this.#sequence) return;
      if (sequence !== this.#sequence + 1) throw gap(path, this.#sequence, sequence);
      replay(payload);
      this.#sequence = sequence;
      replayed++;
    };
    const required = this.#catalogue.segments;
    const torn = this.#log?.open(onRecord, { isReadOnly: this.#isReadOnly, required });
    const acknowledged = this.#log?.acknowledged() ?? 0;
    if (this.#log && acknowledged > this.#sequence)
      throw cutOff(this.#log.newest, this.#sequence, acknowledged);
    if (this.#log && !this.#isReadOnly) this.#startNoting(this.#log);
    return {
      ...{ replayed, truncatedBytes: torn?.bytes ?? 0 },
      ...(torn && { tornFile: torn.path }),
      ...(replayed > 0 && this.#rebuilt),
    };
  }

  #startNoting(log: CommitLog): void {
    const noting = this.#noteSegments(log).then(() => {
      this.#noting = undefined;
    });
    noting.catch(() => {}); // for those who record or flush
    this.#noting = noting;
  }

  /** Has the engine note which segments of the log exist, as it does in each flush, unless it knows. */
  async #noteSegments(log: CommitLog): Promise<void> {
    const segments = await log.prepare();
    const noted = this.#catalogue.segments;
    if (noted?.from === segments.from && noted.to === segments.to) return;
    const catalogue = { ...this.#catalogue, segments };
    const rows = catalogueRows(catalogue);
    const size = { rows: rows.length, bytes: rows.reduce((sum, { value }) => sum + (value?.length ?? 0), 0) };
    await this.health.retry("the database", () => this.#store.write(rows, size));
    this.#catalogue = { ...this.#catalogue, segments };
  }

  /**
   * Makes everything put into tables since the last record one atomic record; to be called in the same turn as the puts.
   * Resolves when it is on disk, however long a failing disk takes to recover; call `health.check` before the puts.
   */
  record(payload: Uint8Array): Promise<void> {
    if (this.#isReadOnly)
      return Promise.reject(
        new DatabaseError("DATABASE_FAILED", "the folder is read-only", { code: "EROFS" }),
      );
    const logged = this.#log?.append({ sequence: ++this.#sequence, payload }) ?? Promise.resolve();
    const noting = this.#noting;
    const durable = noting ? logged.then(() => noting) : logged;
    const fill = this.#fill();
    if (fill <= 1) return durable;
    const flushed = this.flush();
    // A flush fails only if the database is closed before the disk accepts it; the log has the rows then.
    flushed.catch(() => {});
    return fill > CONGESTED ? durable.then(() => flushed) : durable;
  }

  /** Memory held by rows not yet flushed to the engine, in bytes. */
  get unflushedBytes(): number {
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.bytes;
    return bytes;
  }

  /** Unflushed rows as a share of the flush limits; above 1 they are flushed. */
  #fill(): number {
    return Math.max(this.unflushedBytes / this.#flushBytes, this.#changedRows() / this.#flushRows);
  }

  #changedRows(): number {
    let rows = 0;
    for (const table of this.#tables.values()) rows += table.changedRows;
    return rows;
  }

  /** Flushes begun and ended since the database was opened. A flush covers all records made before it began. */
  get flushes(): { readonly begun: number; readonly ended: number } {
    return { begun: this.#begun, ended: this.#ended };
  }

  /** Flushes all changed rows to the engine, or joins a flush that is already running; resolves when it has ended. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /**
   * Copies the database, with all records so far, into an empty folder; writes may continue meanwhile. An interrupted copy
   * cannot be opened.
   * @throws DatabaseError `DATABASE_FAILED`, also when the database is closed meanwhile, `DATABASE_DAMAGED`,
   *   `DATABASE_IN_USE` while another copy is being made, and `DATABASE_FORMAT` for an in-memory database
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
    // A flush already running may not cover the last record.
    await this.health.unlessFailing(this.#flushing ?? Promise.resolve());
    await this.health.unlessFailing(this.flush());
    while (this.#flushing) await this.health.unlessFailing(this.#flushing);
    // The copy is of this moment, so that it needs the segments noted now.
    const { segments } = this.#catalogue;
    const starting = segments && log.startLogIn(directory, segments);
    await Promise.all([starting, store.copyTo(directory, this.#closing.signal)]);
  }

  /** Activity of each table since the database was opened, and the memory of its unflushed rows. */
  get use(): ReadonlyMap<string, TableUsage & { readonly unflushedBytes: number }> {
    const tables = [...this.#tables];
    return new Map(tables.map(([name, table]) => [name, { ...table.use, unflushedBytes: table.bytes }]));
  }

  /** Records so far, and writes to the log since the database was opened. */
  get logged(): { readonly records: number; readonly writes: number; readonly bytes: number } {
    return { records: this.#sequence, ...(this.#log?.written ?? { writes: 0, bytes: 0 }) };
  }

  /** Sizes on disk, in bytes, and the number of rows in the engine. */
  size(): { readonly rows: number; readonly storeBytes: number; readonly logBytes: number } {
    const { rows, bytes } = this.#store.size();
    return { rows, storeBytes: bytes, logBytes: this.#log?.bytes ?? 0 };
  }

  /**
   * Checks every page of the engine's file, then reads every row and verifies its checksum.
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
    this.health.reportDamage(error);
    throw error;
  }

  /**
   * Checks some more of what the engine could not check when it was opened, unless damage is known.
   * @param isDue - whether to stop for now
   * @returns whether there is more to check
   */
  checkOn(isDue: () => boolean): boolean {
    if (this.health.now.state === "damaged") return false;
    try {
      return this.#store.checkOn?.(isDue) ?? false;
    } catch (error) {
      if (error instanceof DatabaseError) return false; // reported by the rows' reader
      throw error;
    }
  }

  /** Flushes everything, unless the disk is failing, and closes the files. */
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

  /** Closes without flushing; the log has what is in memory. */
  async abandon(): Promise<void> {
    this.health.close();
    this.#closing.abort(
      new DatabaseError("DATABASE_FAILED", "the copy was abandoned because the database was closed"),
    );
    await this.#copying?.catch(() => {}); // the caller of the copy gets the error
    await this.#noting?.catch(() => {}); // it was of use only to what would be recorded
    await this.#log?.close();
    await this.#store.close();
    this.#release();
  }

  async #flush(): Promise<void> {
    if (this.#noting) await this.#noting;
    const sequence = this.#sequence;
    if (this.#isReadOnly || sequence === this.#catalogue.sequence) return;
    this.health.checkDamage();
    const tables = [...this.#tables.values()];
    const size = { rows: this.#changedRows(), bytes: this.unflushedBytes };
    for (const table of tables) table.beginFlush();
    this.#begun++;
    // The engine must never be ahead of the log. From here on, records go to a new segment, which this flush will not drop.
    const ended = (await this.#log?.roll()) ?? [];
    const segments = await this.#log?.prepare();
    const catalogue = { ...this.#catalogue, sequence, segments: segments && afterFirst(segments, ended) };
    await this.health.retry("the database", () => this.#store.write(batch(catalogue, tables), size));
    this.#ended++;
    this.#catalogue = { ...this.#catalogue, sequence, segments: catalogue.segments };
    this.#log?.drop(ended);
    const pace = new TimeSlice();
    for (const table of tables) await runPaced(pace, table.endFlush());
  }

  #checked(store: KeyValueStore, file: string): KeyValueStore {
    return checkedRows(store, {
      file,
      tableOf: (key) => this.#catalogue.tables[(key[0] ?? 0) - 1] ?? "catalogue",
      onDamage: (error) => this.health.reportDamage(error),
    });
  }
}

function gap(path: string, last: number, next: number): DatabaseError {
  const message = `${path} goes on with record ${next}, but what comes before it ends with record ${last}: the log between them is missing`;
  return new DatabaseError("LOG_DAMAGED", message, { path, last, next });
}

function cutOff(path: string, last: number, acknowledged: number): DatabaseError {
  const message = `${path} ends with record ${last}, but record ${acknowledged} was acknowledged: what followed has been cut off; kairn db repair goes on without it`;
  return new DatabaseError("LOG_DAMAGED", message, { path, last, acknowledged });
}

/** A range without the segments that are about to be dropped. */
function afterFirst({ from, to }: SegmentRange, dropped: readonly string[]): SegmentRange {
  return { from: Math.max(from, ...dropped.map((name) => segmentNumber(name) + 1)), to };
}

function* batch(catalogue: Catalogue, tables: readonly Table[]): Generator<StoredRow> {
  yield* catalogueRows(catalogue);
  for (const table of tables) yield* table.flushed();
}
