import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { Database } from "../../database/database.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import type { Row } from "../state.ts";
import { AccountCache } from "./account-cache.ts";
import { ACCOUNT_KEY, type FlatChange } from "./flat/flat-changes.ts";
import { RowSnapshot } from "./flat/row-snapshot.ts";
import { putHead, readHead } from "./head-row.ts";
import { History, type HistoryOptions } from "./history/history.ts";
import type { BlockState } from "./log/log-record.ts";
import { StateLog } from "./log/state-log.ts";
import { type StateTables, stateTables } from "./tables.ts";
import type { TrieStage } from "./trie-stage.ts";

/** Rows copied per step. */
const ROWS_PER_STEP = 128;
/** Rows that are put in one step, without copies. */
const FEW_ROWS = 1024;

/** The newest state: its tables, its block, and the snapshots taken of it. */
export class HeadState {
  readonly tables: StateTables;
  readonly history: History;
  readonly log: StateLog;
  /** Cache of decoded accounts. */
  readonly accounts = new AccountCache();
  readonly #database: Database;
  #block: BlockState | undefined;
  /** Counts changes of the state. */
  #version = 0;
  /** Snapshots in use, which preserve rows before they change. */
  readonly #snapshots = new Set<RowSnapshot>();

  constructor(database: Database, options: HistoryOptions) {
    this.#database = database;
    this.tables = stateTables(database);
    this.log = new StateLog(database);
    this.#block = readHead(this.tables);
    this.history = new History(database, this.tables, options, this.#block?.number ?? -1n);
  }

  /** The newest block and its state root; undefined in an empty database. */
  get block(): BlockState | undefined {
    return this.#block;
  }

  get root(): Hash {
    return this.#block?.root ?? EMPTY_ROOT;
  }

  /** @returns a function that tells whether the state is unchanged since this call */
  watch(): () => boolean {
    const version = this.#version;
    return () => version === this.#version;
  }

  /** Calls `use` with a snapshot of the rows, unaffected by later changes. */
  async withSnapshot<T>(use: (rows: RowSnapshot) => Promise<T>): Promise<T> {
    const rows = new RowSnapshot(this.tables);
    this.#snapshots.add(rows);
    try {
      return await use(rows);
    } finally {
      this.#snapshots.delete(rows);
    }
  }

  /** Writes a staged state into the tables, as the one after `block`; history and log are up to the caller. */
  setHead(stage: TrieStage, block: BlockState, changes: readonly FlatChange[]): void {
    const snapshots = [...this.#snapshots];
    for (const { key, before, after } of changes) {
      for (const rows of snapshots) rows.preserve("flat", key);
      if (!stage.hasRows) this.tables.flat.put(key, after);
      const row = after ?? before;
      if (key.length === ACCOUNT_KEY && row) this.accounts.delete(row);
    }
    for (const path of snapshots.length > 0 ? stage.paths() : [])
      for (const rows of snapshots) rows.preserve("nodes", path);
    if (stage.hasRows) stage.handOverTo(this.tables);
    else stage.writeTo(this.tables);
    putHead(this.tables, block);
    this.#block = block;
    this.#version++;
  }

  /** Puts rows into any tables. */
  put(rows: readonly Row[]): void {
    for (const { table, key, value } of rows) this.#database.table(table).put(key, value);
  }

  /** As `put`, copying many rows in steps without effects. @returns a function that puts them */
  *putInSteps(rows: readonly Row[]): Generator<void, () => void> {
    if (rows.length <= FEW_ROWS) return () => this.put(rows);
    const tables = new Map<string, ByteTable>();
    let copied = 0;
    for (const { table, key, value } of rows) {
      const copies = tables.get(table) ?? new ByteTable();
      if (copies.size === 0) tables.set(table, copies);
      copies.set(key, value);
      if (++copied % ROWS_PER_STEP === 0) yield;
    }
    return () => {
      for (const [name, copies] of tables) this.#database.table(name).adopt(copies);
    };
  }
}

/** Runs steps that read the head's state. @throws StateError `STATE_STALE` when the state changes between them */
export function* whileCurrent<T>(steps: Generator<void, T>, isCurrent: () => boolean): Generator<void, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield;
    if (!isCurrent()) throw staleState();
  }
}

/** The error for work invalidated by another change of the state. */
export function staleState(): StateError {
  return new StateError("STATE_STALE", "the state has changed since this was begun");
}
