// One class: each operation moves head, caches, tries and history together, and has to fail as a whole.
import { atOnce, atPace, type Pace } from "../../../platform/runtime/turns/pace.ts";
import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { Database, Recovery } from "../../database/database.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import type {
  Amendment,
  HashNext,
  ProofPlace,
  Row,
  StagedState,
  StateChanges,
  StateCounts,
  StateStore,
  StateView,
  StoreHealth,
  StoreStats,
  StoreUse,
  TableSize,
} from "../state.ts";
import { AccountCache } from "./account-cache.ts";
import { CodeStore, codeRows } from "./code-store.ts";
import { ACCOUNT_KEY, type FlatChange, nameOf, resolveChanges } from "./flat/flat-changes.ts";
import { addressOfRow } from "./flat/flat-rows.ts";
import { FlatView, headSource } from "./flat/flat-view.ts";
import { FrozenRows } from "./flat/frozen-rows.ts";
import { putHead, readHead } from "./head-row.ts";
import { changesOfRows } from "./history/block-changes.ts";
import { History, type HistoryOptions } from "./history/history.ts";
import {
  PastState,
  type PastTries,
  reversalInSteps,
  turnBack,
  turnStorageBack,
} from "./history/past-state.ts";
import {
  type BlockState,
  decodeLogEntries,
  encodeLogEntry,
  encodeLogEntryInSteps,
  groupLogEntries,
  type LogEntry,
} from "./log-record.ts";
import { RecordGroup } from "./record-group.ts";
import { Succession } from "./succession.ts";
import { type StateTables, stateTables } from "./tables.ts";
import { TrieStage } from "./trie-stage.ts";
import { tableSize, verifyState } from "./verify-state.ts";

/** Keys that are hashed in one step. */
const KEYS_A_STEP = 256;

type RowBounds = [from: Uint8Array, to: Uint8Array, reverse?: boolean];

/** A change of the state, and rows of other tables that go with it. */
interface StateChange {
  readonly stage: TrieStage;
  readonly block: BlockState;
  readonly changes: readonly FlatChange[];
  readonly rows: readonly Row[];
}

/** What leads from the head to an earlier state. */
interface WayBack {
  readonly stage: TrieStage;
  readonly changes: readonly FlatChange[];
  readonly root: Hash;
}

/** Changes that are hashed but not part of the state. */
interface Staged extends Pick<StateChanges, "codes"> {
  readonly stage: TrieStage;
  /** Memory of the nodes of the stage. */
  readonly nodes: ByteTable;
  readonly root: Hash;
  readonly changes: readonly FlatChange[];
  readonly isCurrent: () => boolean;
}

/** The tries of a past state, of all accounts with the storage of all that matter, or of one whose address has a hash. */
interface KeptTries {
  readonly version: number;
  readonly number: bigint;
  readonly owner: Hash | undefined;
  readonly tries: PastTries;
}

/** The state with its history in a database. Replays the database's log when it is made. */
export class DatabaseStateStore implements StateStore {
  readonly health: StoreHealth;
  readonly #database: Database;
  readonly #tables: StateTables;
  readonly #codes: CodeStore;
  /** Accounts of the newest state. */
  readonly #accounts = new AccountCache();
  readonly #history: History;
  readonly #latest: StateView;
  readonly #recovery: Recovery;
  /** A table for the nodes of the next staged state: the memory of one that was committed. */
  #spare: ByteTable | undefined;
  #head: BlockState | undefined;
  /** The group being written as one record. */
  #group: RecordGroup | undefined;
  /** Changes with each committed, amended or rewound state. */
  #version = 0;
  /** Readers of a past state, notified before it changes. */
  readonly #frozen = new Set<FrozenRows>();
  #past: KeptTries | undefined;

  /** @throws DatabaseError `LOG_DAMAGED`; StateError `STATE_DAMAGED` */
  constructor(database: Database, options: HistoryOptions) {
    this.#database = database;
    this.health = database.health;
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
    const source = new PastState(this.#tables, this.#history, number, (owner) =>
      this.#pastTries(number, owner),
    );
    return new FlatView(source, this.#codes);
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#codes.find(hash);
  }

  async prove<T>(
    { number, address }: ProofPlace,
    pace: Pace,
    use: (view: StateView | undefined) => T,
  ): Promise<T> {
    const owner = address && keccak256(address);
    if (number === this.#head?.number || !this.#history.has(number) || this.#kept(number, owner))
      return use(this.at(number));
    const version = this.#version;
    const frozen = new FrozenRows(this.#tables);
    this.#frozen.add(frozen);
    try {
      const tries = await atPace(
        pace,
        turnBack(frozen, this.#history, { number, owner, headRoot: this.#root }),
      );
      if (version === this.#version) this.#keep(number, owner, tries);
      return use(new FlatView(new PastState(this.#tables, this.#history, number, () => tries), this.#codes));
    } finally {
      this.#frozen.delete(frozen);
    }
  }

  changesOf(number: bigint): StateChanges {
    const { flat } = this.#tables;
    const after = (key: Uint8Array) => {
      const row = number === this.#head?.number ? undefined : this.#history.rowAfter(key, number);
      return row === undefined ? flat.get(key) : (row ?? undefined);
    };
    return changesOfRows(this.#history.changedBy(number), after, (hash) => this.#codes.find(hash));
  }

  async succeed<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T> {
    const frozen = new FrozenRows(this.#tables);
    const history = this.#history;
    this.#frozen.add(frozen);
    try {
      const isHead = number === this.#head?.number;
      const isWhole = isHead || history.isRecent(number);
      if (!isHead && !history.has(number))
        throw new StateError("STATE_PRUNED", `the state of block ${number} is not kept`, { number });
      const tries = isHead
        ? { root: this.#root, stage: new TrieStage(frozen, { rows: new ByteTable() }) }
        : await atPace(pace, turnBack(frozen, history, { number, owner: undefined, headRoot: this.#root }));
      const brought = new Set<string>();
      const succession = new Succession(tries, function* (owner) {
        if (isWhole || brought.has(nameOf(owner))) return;
        yield* turnStorageBack(tries, frozen, history, { number, owner });
        brought.add(nameOf(owner));
      });
      return await use(async (changes) => atPace(pace, succession.next(changes)));
    } finally {
      this.#frozen.delete(frozen);
    }
  }

  stage(changes: StateChanges): StagedState {
    return atOnce(this.#stageInSteps(changes, false));
  }

  stageInSteps(changes: StateChanges): Generator<void, StagedState> {
    return this.#stageInSteps(changes, isLarge(changes));
  }

  /** Rows beside the nodes are what it takes to stop between the keys of one trie; for a few keys they cost more than that. */
  *#stageInSteps({ accounts, codes }: StateChanges, inParts: boolean): Generator<void, StagedState> {
    const version = this.#version;
    const isCurrent = () => version === this.#version;
    const nodes = (inParts ? undefined : this.#spare) ?? new ByteTable();
    if (!inParts) this.#spare = undefined;
    const stage = new TrieStage(this.#tables, { nodes, ...(inParts && { rows: new ByteTable() }) });
    const resolving = resolveChanges(this.#tables.flat, accounts, stage.hashSlots);
    const changes = inParts ? yield* whileCurrent(resolving, isCurrent) : atOnce(resolving);
    const root = yield* whileCurrent(stage.hashAccountsInSteps(this.#root, changes), isCurrent);
    const staged = { stage, nodes, root, changes, codes, isCurrent };
    return {
      root,
      get isCurrent() {
        return isCurrent();
      },
      commitInSteps: (block, rows) => this.#commitInSteps(staged, block, rows),
      commit: (block, rows) => atOnce(this.#commitInSteps(staged, block, rows)),
    };
  }

  *#commitInSteps(
    { stage, nodes, root, changes, codes, isCurrent }: Staged,
    { number, hash }: { number: bigint; hash: Hash },
    ofOthers: readonly Row[],
  ): Generator<void, { readonly durable: Promise<void> }> {
    const check = () => {
      if (!isCurrent())
        throw new StateError("STATE_STALE", "the state has changed since this one was staged", { number });
    };
    check();
    if (this.#head && number !== this.#head.number + 1n)
      throw new StateError("STATE_ORDER", `block ${number} after ${this.#head.number}`, { number });
    this.#database.health.check();
    const rows = [...codeRows(codes), ...ofOthers];
    const block = { number, hash: hash.slice(), root };
    const record = yield* encodeLogEntryInSteps({ type: "block", block, changes, rows });
    const note = yield* this.#history.addInSteps(number, this.#head?.root, changes);
    // A disk that fails meanwhile is as one that fails right afterwards: the record waits for it.
    check();
    note();
    this.#putState(stage, block, changes);
    this.#putRows(rows);
    // The tables have the nodes of one with rows themselves.
    if (!stage.hasRows) {
      nodes.clear();
      this.#spare = nodes;
    }
    return { durable: this.#record(record) };
  }

  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> } {
    return this.#rewind(this.#wayBack(to.number), to, rows);
  }

  *rewindInSteps(number: bigint): Generator<void, StateStore["rewind"]> {
    const version = this.#version;
    const isCurrent = () => version === this.#version;
    const way = yield* whileCurrent(this.#wayBackInSteps(number), isCurrent);
    return (to, rows) => {
      if (!isCurrent()) throw stale();
      return this.#rewind(way, to, rows);
    };
  }

  #rewind(
    way: WayBack | undefined,
    to: { number: bigint; hash: Hash },
    rows: readonly Row[],
  ): { readonly durable: Promise<void> } {
    this.#database.health.check();
    const block = this.#goBack(way, to, rows);
    return { durable: this.#awaited(encodeLogEntry({ type: "rewind", block, rows })) };
  }

  atomically(action: () => void): Promise<void> {
    this.#database.health.check();
    const group = new RecordGroup();
    this.#group = group;
    try {
      action();
    } finally {
      this.#group = undefined;
      group.end((entries) => this.#database.record(groupLogEntries(entries)));
    }
    return this.#database.health.unlessFailing(group.durable);
  }

  amend(changes: StateChanges): Amendment {
    return atOnce(this.#amendInSteps(changes));
  }

  async amendAtPace(changes: StateChanges, pace: Pace): Promise<Amendment> {
    return atPace(pace, this.#amendInSteps(changes));
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.#database.table(table).get(key);
  }

  *range(table: string, ...bounds: RowBounds): Generator<[Uint8Array, Uint8Array]> {
    for (const [key, value] of this.#database.table(table).range(...bounds)) yield [key, value];
  }

  write(rows: readonly Row[]): Promise<void> {
    try {
      this.#database.health.check();
    } catch (error) {
      return Promise.reject(error);
    }
    const record = encodeLogEntry({ type: "rows", rows });
    this.#putRows(rows);
    return this.#awaited(record);
  }

  verify(onAccount?: (key: Uint8Array) => void): StateCounts {
    this.#database.verifyRows();
    return verifyState(this.#tables, this.#root, onAccount);
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

  copyTo(directory: string): Promise<void> {
    return this.#database.copyTo(directory);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #record(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.#database.record(entry);
  }

  /** The same for listeners of disk failures. Within a group its promise reports them. */
  #awaited(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.#database.health.unlessFailing(this.#database.record(entry));
  }

  get #root(): Hash {
    return this.#head?.root ?? EMPTY_ROOT;
  }

  /** The tries of the past state that was asked for last are kept: a proof is seldom asked for alone. */
  #pastTries(number: bigint, owner: Hash | undefined): PastTries {
    const kept = this.#kept(number, owner);
    if (kept) return kept;
    const place = { number, owner, headRoot: this.#root };
    return this.#keep(number, owner, atOnce(turnBack(this.#tables, this.#history, place)));
  }

  #keep(number: bigint, owner: Hash | undefined, tries: PastTries): PastTries {
    const isWhole = this.#history.isRecent(number);
    this.#past = { version: this.#version, number, owner: isWhole ? undefined : owner, tries };
    return tries;
  }

  /** Without an owner only the account trie is asked for. */
  #kept(number: bigint, owner: Hash | undefined): PastTries | undefined {
    const past = this.#past;
    if (past?.version !== this.#version || past.number !== number) return undefined;
    const fits = !past.owner || !owner || equalBytes(past.owner, owner);
    return fits ? past.tries : undefined;
  }

  #apply({ stage, block, changes, rows }: StateChange): void {
    this.#history.add(block.number, this.#head?.root, changes);
    this.#putState(stage, block, changes);
    this.#putRows(rows);
  }

  /** All that takes long is done before anything changes; the last step changes all, and takes no longer for many rows. */
  *#amendInSteps({ accounts, codes }: StateChanges): Generator<void, Amendment> {
    this.#database.health.check();
    const head = this.#head;
    if (!head) throw new StateError("STATE_ORDER", "there is no state to amend");
    const version = this.#version;
    const stage = new TrieStage(this.#tables, { rows: new ByteTable() });
    const changes = yield* resolveChanges(this.#tables.flat, accounts, stage.hashSlots);
    const block = { ...head, root: yield* stage.hashAccountsInSteps(head.root, changes) };
    const rows = codeRows(codes);
    const record = yield* encodeLogEntryInSteps({ type: "amend", block, changes, rows });
    const note = yield* this.#history.amendInSteps(changes);
    if (version !== this.#version) throw stale();
    this.#database.health.check();
    note();
    this.#putState(stage, block, changes);
    this.#putRows(rows);
    return {
      durable: this.#awaited(record),
      bytes: changes.reduce((sum, change) => sum + sizeOfChange(change), 0),
      undo: () => ({ durable: this.#undo(block, head, changes) }),
    };
  }

  #recordAmendment(change: StateChange): Promise<void> {
    const { block, changes, rows } = change;
    this.#applyAmendment(change);
    return this.#awaited(encodeLogEntry({ type: "amend", block, changes, rows }));
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

  #wayBack(number: bigint): WayBack | undefined {
    return atOnce(this.#wayBackInSteps(number));
  }

  /** @returns undefined where the block is the head */
  *#wayBackInSteps(number: bigint): Generator<void, WayBack | undefined> {
    if (!this.#head || number > this.#head.number)
      throw new StateError("STATE_ORDER", `cannot go back to block ${number}`, { number });
    if (number === this.#head.number) return undefined;
    const changes = yield* reversalInSteps(this.#tables, yield* this.#history.changesSince(number));
    const root = this.#history.rootAfter(number);
    const stage = new TrieStage(this.#tables, { rows: new ByteTable() });
    if (!equalBytes(yield* stage.hashInSteps(this.#root, changes, KEYS_A_STEP), root))
      throw new StateError("STATE_DAMAGED", `going back to block ${number} gives another root`, { number });
    return { stage, changes, root };
  }

  /** Undoes blocks down to `to`, which becomes the head. */
  #goBack(
    way: WayBack | undefined,
    { number, hash }: { number: bigint; hash: Hash },
    rows: readonly Row[],
  ): BlockState {
    if (way) {
      this.#history.rewind(number);
      this.#putState(way.stage, { number, hash: hash.slice(), root: way.root }, way.changes);
    }
    this.#putRows(rows);
    return this.#head as BlockState;
  }

  #putState(stage: TrieStage, head: BlockState, changes: readonly FlatChange[]): void {
    const frozen = [...this.#frozen];
    for (const { key, before, after } of changes) {
      for (const rows of frozen) rows.keep("flat", key);
      if (!stage.hasRows) this.#tables.flat.put(key, after);
      const row = after ?? before;
      if (key.length === ACCOUNT_KEY && row) this.#accounts.delete(addressOfRow(row));
    }
    for (const path of frozen.length > 0 ? stage.paths() : [])
      for (const rows of frozen) rows.keep("nodes", path);
    if (stage.hasRows) stage.giveTo(this.#tables);
    else stage.moveTo(this.#tables);
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
    else if (entry.type === "rewind") {
      const way = this.#wayBack(entry.block.number);
      this.#expect(this.#goBack(way, entry.block, entry.rows).root, entry.block);
    } else {
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

/** Whether hashing the changes takes more than some two milliseconds. */
function isLarge({ accounts }: StateChanges): boolean {
  let rows = accounts.length;
  for (let i = 0; i < accounts.length && rows <= KEYS_A_STEP; i++)
    rows += (accounts[i] as StateChanges["accounts"][number]).storage.length;
  return rows > KEYS_A_STEP;
}

/** Steps that read the head's state. @throws StateError `STATE_STALE` when it changes between them */
function* whileCurrent<T>(steps: Generator<void, T>, isCurrent: () => boolean): Generator<void, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield;
    if (!isCurrent()) throw stale();
  }
}

function stale(): StateError {
  return new StateError("STATE_STALE", "the state has changed since this was begun");
}

/** Memory of a change, by estimate. */
function sizeOfChange({ key, before, after }: FlatChange): number {
  return 300 + key.length + (before?.length ?? 0) + (after?.length ?? 0);
}
