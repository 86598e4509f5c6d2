import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { Database } from "../../database/database.ts";
import { StateError } from "../errors.ts";
import type { Row } from "../state.ts";
import { AccountCache } from "./account-cache.ts";
import { ACCOUNT_KEY, type FlatChange } from "./flat/flat-changes.ts";
import { addressOfRow } from "./flat/flat-rows.ts";
import { FrozenRows } from "./flat/frozen-rows.ts";
import { putHead, readHead } from "./head-row.ts";
import { History, type HistoryOptions } from "./history/history.ts";
import type { BlockState } from "./log/log-record.ts";
import { StateLog } from "./log/state-log.ts";
import { type StateTables, stateTables } from "./tables.ts";
import type { TrieStage } from "./trie-stage.ts";

/** The newest state: its tables, the block that it follows, and who goes on reading it as it was. */
export class HeadState {
  readonly tables: StateTables;
  readonly history: History;
  readonly log: StateLog;
  /** Accounts that were read, decoded. */
  readonly accounts = new AccountCache();
  readonly #database: Database;
  #block: BlockState | undefined;
  /** Counts the states that the tables have had. */
  #version = 0;
  /** Notified before rows change. */
  readonly #frozen = new Set<FrozenRows>();

  constructor(database: Database, options: HistoryOptions) {
    this.#database = database;
    this.tables = stateTables(database);
    this.log = new StateLog(database);
    this.#block = readHead(this.tables);
    this.history = new History(database, this.tables, options, this.#block?.number ?? -1n);
  }

  /** The newest block with the root of the state; undefined in an empty database. */
  get block(): BlockState | undefined {
    return this.#block;
  }

  get root(): Hash {
    return this.#block?.root ?? EMPTY_ROOT;
  }

  /** Gives what tells from now on whether the state is still the present one. */
  watch(): () => boolean {
    const version = this.#version;
    return () => version === this.#version;
  }

  /** Lets `use` read the rows as they are now, whatever changes meanwhile. */
  async freeze<T>(use: (rows: FrozenRows) => Promise<T>): Promise<T> {
    const rows = new FrozenRows(this.tables);
    this.#frozen.add(rows);
    try {
      return await use(rows);
    } finally {
      this.#frozen.delete(rows);
    }
  }

  /** Puts a state that is hashed into the tables, as the one after `block`. History and log are not its concern. */
  become(stage: TrieStage, block: BlockState, changes: readonly FlatChange[]): void {
    const frozen = [...this.#frozen];
    for (const { key, before, after } of changes) {
      for (const rows of frozen) rows.keep("flat", key);
      if (!stage.hasRows) this.tables.flat.put(key, after);
      const row = after ?? before;
      if (key.length === ACCOUNT_KEY && row) this.accounts.delete(addressOfRow(row));
    }
    for (const path of frozen.length > 0 ? stage.paths() : [])
      for (const rows of frozen) rows.keep("nodes", path);
    if (stage.hasRows) stage.giveTo(this.tables);
    else stage.moveTo(this.tables);
    putHead(this.tables, block);
    this.#block = block;
    this.#version++;
  }

  /** Puts rows of whatever tables. */
  put(rows: readonly Row[]): void {
    for (const { table, key, value } of rows) this.#database.table(table).put(key, value);
  }
}

/** Runs steps that read the head's state. @throws StateError `STATE_STALE` when it changes between them */
export function* whileCurrent<T>(steps: Generator<void, T>, isCurrent: () => boolean): Generator<void, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield;
    if (!isCurrent()) throw staleState();
  }
}

/** The error of work that another change of the state has overtaken. */
export function staleState(): StateError {
  return new StateError("STATE_STALE", "the state has changed since this was begun");
}
