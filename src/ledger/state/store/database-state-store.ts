import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { Database, Recovery } from "../../database/database.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import type {
  Amendment,
  Row,
  StagedState,
  StateChanges,
  StateCounts,
  StateStore,
  StateView,
  StoreStats,
  StoreUse,
  TableSize,
} from "../state.ts";
import { AccountCache } from "./account-cache.ts";
import { CodeStore, codeRows } from "./code-store.ts";
import { ACCOUNT_KEY, type FlatChange, resolveChanges } from "./flat-changes.ts";
import { addressOfRow } from "./flat-rows.ts";
import { FlatView, headSource } from "./flat-view.ts";
import { putHead, readHead } from "./head-row.ts";
import { History, type HistoryOptions } from "./history.ts";
import {
  type BlockState,
  decodeLogEntries,
  encodeLogEntry,
  groupLogEntries,
  type LogEntry,
} from "./log-record.ts";
import { PastState, type PastTries, reversal, turnBack } from "./past-state.ts";
import { RecordGroup } from "./record-group.ts";
import { type StateTables, stateTables } from "./tables.ts";
import { TrieStage } from "./trie-stage.ts";
import { tableSize, verifyState } from "./verify-state.ts";

type RowBounds = [from: Uint8Array, to: Uint8Array, reverse?: boolean];

/** What becomes of the state, and rows of other tables that go with it. */
interface StateChange {
  readonly stage: TrieStage;
  readonly block: BlockState;
  readonly changes: readonly FlatChange[];
  readonly rows: readonly Row[];
}

/** The state with its history in a database. Replays the database's log when it is made. */
export class DatabaseStateStore implements StateStore {
  readonly #database: Database;
  readonly #tables: StateTables;
  readonly #codes: CodeStore;
  /** Accounts of the newest state. */
  readonly #accounts = new AccountCache();
  readonly #history: History;
  readonly #latest: StateView;
  readonly #recovery: Recovery;
  /** Nodes of the staged state: one table for all, since one is open at a time. */
  readonly #staged = new ByteTable();
  #head: BlockState | undefined;
  /** What is being done as one record. */
  #group: RecordGroup | undefined;
  /** Changes with each staged, committed or rewound state. */
  #version = 0;
  #past: { readonly version: number; readonly number: bigint; readonly tries: PastTries } | undefined;

  /** @throws DatabaseError `LOG_DAMAGED`; StateError `STATE_DAMAGED` */
  constructor(database: Database, options: HistoryOptions) {
    this.#database = database;
    this.#tables = stateTables(database);
    this.#codes = new CodeStore(this.#tables.codes);
    this.#latest = new FlatView(
      headSource(this.#tables, () => this.#root),
      this.#codes,
      this.#accounts,
    );
    this.#head = readHead(this.#tables);
    this.#history = new History(database, this.#tables, options, this.#head?.number ?? -1n);
    this.#recovery = database.recover((payload) => {
      for (const entry of decodeLogEntries(payload)) this.#replay(entry);
    });
  }

  get head(): BlockState | undefined {
    return this.#head;
  }

  latest(): StateView {
    return this.#latest;
  }

  at(number: bigint): StateView | undefined {
    if (number === this.#head?.number) return this.#latest;
    if (!this.#history.has(number)) return undefined;
    const source = new PastState(this.#tables, this.#history, number, (block) => this.#pastTries(block));
    return new FlatView(source, this.#codes);
  }

  stage({ accounts, codes }: StateChanges): StagedState {
    this.#staged.clear();
    const stage = new TrieStage(this.#tables, { nodes: this.#staged });
    const changes = resolveChanges(this.#tables.flat, accounts, stage.hashStorage);
    const root = stage.hashAccounts(this.#root, changes);
    const version = ++this.#version;
    return {
      root,
      commit: ({ number, hash }, rows) => {
        if (version !== this.#version)
          throw new StateError("STATE_STALE", "the staged state is closed", { number });
        if (this.#head && number !== this.#head.number + 1n)
          throw new StateError("STATE_ORDER", `block ${number} after ${this.#head.number}`, { number });
        const all = [...codeRows(codes), ...rows];
        const block = { number, hash: hash.slice(), root };
        const record = encodeLogEntry({ type: "block", block, changes, rows: all });
        this.#apply({ stage, block, changes, rows: all });
        return { durable: this.#record(record) };
      },
      discard: () => {
        if (version === this.#version) this.#version++;
      },
    };
  }

  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> } {
    const block = this.#turnBack(to, rows);
    return { durable: this.#record(encodeLogEntry({ type: "rewind", block, rows })) };
  }

  atomically(action: () => void): Promise<void> {
    const group = new RecordGroup();
    this.#group = group;
    try {
      action();
    } finally {
      this.#group = undefined;
      group.end((entries) => this.#database.record(groupLogEntries(entries)));
    }
    return group.durable;
  }

  amend({ accounts, codes }: StateChanges): Amendment {
    const head = this.#head;
    if (!head) throw new StateError("STATE_ORDER", "there is no state to amend");
    const stage = new TrieStage(this.#tables);
    const changes = resolveChanges(this.#tables.flat, accounts, stage.hashStorage);
    const amended = { ...head, root: stage.hashAccounts(head.root, changes) };
    const durable = this.#recordAmendment({ stage, block: amended, changes, rows: codeRows(codes) });
    return { durable, undo: () => ({ durable: this.#undo(amended, head, changes) }) };
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.#database.table(table).get(key);
  }

  *range(table: string, ...bounds: RowBounds): Generator<[Uint8Array, Uint8Array]> {
    for (const [key, value] of this.#database.table(table).range(...bounds)) yield [key, value];
  }

  write(rows: readonly Row[]): Promise<void> {
    const record = encodeLogEntry({ type: "rows", rows });
    this.#putRows(rows);
    return this.#record(record);
  }

  verify(): StateCounts {
    return verifyState(this.#tables, this.#root);
  }

  tableSizes(): ReadonlyMap<string, TableSize> {
    return new Map(this.#database.tableNames.map((name) => [name, tableSize(this.#database.table(name))]));
  }

  stats(): StoreStats {
    const { storeBytes, logBytes } = this.#database.size();
    return { storeBytes, logBytes, waitingBytes: this.#database.waitingBytes, ...this.#recovery };
  }

  use(): StoreUse {
    return {
      tables: this.#database.use,
      accounts: this.#accounts.use,
      log: this.#database.logged,
      flushes: this.#database.flushes.ended,
    };
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #record(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.#database.record(entry);
  }

  get #root(): Hash {
    return this.#head?.root ?? EMPTY_ROOT;
  }

  /** The tries of the past state that was asked for last are kept: a proof is seldom asked for alone. */
  #pastTries(number: bigint): PastTries {
    const kept = this.#past;
    if (kept?.version === this.#version && kept.number === number) return kept.tries;
    const tries = turnBack(this.#tables, this.#history, number, this.#root);
    this.#past = { version: this.#version, number, tries };
    return tries;
  }

  #apply({ stage, block, changes, rows }: StateChange): void {
    this.#history.add(block.number, this.#head?.root, changes);
    this.#putState(stage, block, changes);
    this.#putRows(rows);
  }

  #recordAmendment(change: StateChange): Promise<void> {
    const { block, changes, rows } = change;
    this.#applyAmendment(change);
    return this.#record(encodeLogEntry({ type: "amend", block, changes, rows }));
  }

  #applyAmendment({ stage, block, changes, rows }: StateChange): void {
    this.#history.amend(changes);
    this.#putState(stage, block, changes);
    this.#putRows(rows);
  }

  /** Goes from an amended state back to the one before, which must both be of the present head. */
  #undo(amended: BlockState, before: BlockState, changes: readonly FlatChange[]): Promise<void> {
    if (!this.#head || !equalBytes(this.#head.hash, amended.hash) || !equalBytes(this.#root, amended.root)) {
      const details = { number: before.number };
      throw new StateError("STATE_STALE", "the state has changed since the amendment", details);
    }
    const reversed = changes.map(({ key, before: row, after }) => ({
      key,
      before: after ?? undefined,
      after: row ?? null,
    }));
    const stage = new TrieStage(this.#tables);
    this.#expect(stage.hashAll(amended.root, reversed), before);
    return this.#recordAmendment({ stage, block: before, changes: reversed, rows: [] });
  }

  /** Undoes blocks down to `to`, which becomes the head. */
  #turnBack({ number, hash }: { number: bigint; hash: Hash }, rows: readonly Row[]): BlockState {
    if (!this.#head || number > this.#head.number)
      throw new StateError("STATE_ORDER", `cannot go back to block ${number}`, { number });
    if (number < this.#head.number) {
      const changes = reversal(this.#tables, this.#history.changedSince(number));
      const root = this.#history.rootAfter(number);
      const stage = new TrieStage(this.#tables);
      if (!equalBytes(stage.hashAll(this.#root, changes), root))
        throw new StateError("STATE_DAMAGED", `going back to block ${number} gives another root`, { number });
      this.#history.rewind(number);
      this.#putState(stage, { number, hash: hash.slice(), root }, changes);
    }
    this.#putRows(rows);
    return this.#head;
  }

  #putState(stage: TrieStage, head: BlockState, changes: readonly FlatChange[]): void {
    for (const { key, before, after } of changes) {
      this.#tables.flat.put(key, after);
      const row = after ?? before;
      if (key.length === ACCOUNT_KEY && row) this.#accounts.delete(addressOfRow(row));
    }
    stage.moveToTables();
    putHead(this.#tables, head);
    this.#head = head;
    this.#version++;
  }

  #putRows(rows: readonly Row[]): void {
    for (const { table, key, value } of rows) this.#database.table(table).put(key, value);
  }

  /** Does again what the log says, and compares the roots. */
  #replay(entry: LogEntry): void {
    if (entry.type === "rows") this.#putRows(entry.rows);
    else if (entry.type === "rewind") this.#expect(this.#turnBack(entry.block, entry.rows).root, entry.block);
    else {
      const changes = entry.changes.map(({ key, after }) => ({
        key,
        before: this.#tables.flat.get(key),
        after,
      }));
      const stage = new TrieStage(this.#tables);
      this.#expect(stage.hashAll(this.#root, changes), entry.block);
      const { number, hash, root } = entry.block;
      const block = { number, hash: hash.slice(), root: root.slice() };
      const change = { stage, block, changes, rows: entry.rows };
      if (entry.type === "block") this.#apply(change);
      else this.#applyAmendment(change);
    }
  }

  #expect(root: Hash, block: BlockState): void {
    if (equalBytes(root, block.root)) return;
    const { number } = block;
    throw new StateError("STATE_DAMAGED", `replaying block ${number} gives another state root`, { number });
  }
}
