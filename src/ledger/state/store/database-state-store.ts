import { type Pace, runPaced, runSync } from "../../../platform/runtime/turns/pace.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { Database, Recovery } from "../../database/database.ts";
import type {
  Amendment,
  HashNext,
  ProofTarget,
  Row,
  StagedState,
  StateChanges,
  StateCounts,
  StateStore,
  StateView,
  StoreHealth,
  StoreStats,
  StoreUsage,
  TableSize,
} from "../state.ts";
import { amendInSteps } from "./change/amending.ts";
import { replay } from "./change/replaying.ts";
import { rewindInSteps } from "./change/rewinding.ts";
import { Staging } from "./change/staging.ts";
import { CodeStore } from "./code-store.ts";
import { HeadState } from "./head-state.ts";
import type { HistoryOptions } from "./history/history.ts";
import { type BlockState, decodeLogEntries, encodeLogEntry } from "./log/log-record.ts";
import { StateViews } from "./state-views.ts";
import { tableSize, verifyState } from "./verify-state.ts";

type RowBounds = [from: Uint8Array, to: Uint8Array, reverse?: boolean];

/** The state with its history in a database. Replays the database's log on construction. */
export class DatabaseStateStore implements StateStore {
  readonly health: StoreHealth;
  readonly #database: Database;
  readonly #head: HeadState;
  readonly #codes: CodeStore;
  readonly #views: StateViews;
  readonly #staging: Staging;
  readonly #recovery: Recovery;

  /** @throws DatabaseError `LOG_DAMAGED`; StateError `STATE_DAMAGED` */
  constructor(database: Database, options: HistoryOptions) {
    this.#database = database;
    this.health = database.health;
    this.#head = new HeadState(database, options);
    this.#codes = new CodeStore(this.#head.tables.codes);
    this.#views = new StateViews(this.#head, this.#codes);
    this.#staging = new Staging(this.#head);
    this.#recovery = database.recover((payload) => {
      for (const entry of decodeLogEntries(payload)) replay(this.#head, entry);
    });
  }

  get head(): BlockState | undefined {
    return this.#head.block;
  }

  get isArchive(): boolean {
    return this.#head.history.isArchive;
  }

  latest(): StateView {
    return this.#views.latest;
  }

  at(number: bigint): StateView | undefined {
    return this.#views.at(number);
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#codes.find(hash);
  }

  prove<T>(target: ProofTarget, pace: Pace, use: (view: StateView | undefined) => T): Promise<T> {
    return this.#views.prove(target, pace, use);
  }

  hashSuccessors<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T> {
    return this.#views.hashSuccessors(number, pace, use);
  }

  changesOf(number: bigint): StateChanges {
    return this.#views.changesOf(number);
  }

  watch(): () => boolean {
    return this.#head.watch();
  }

  stage(changes: StateChanges): StagedState {
    return this.#staging.stage(changes);
  }

  stageInSteps(changes: StateChanges): Generator<void, StagedState> {
    return this.#staging.stageInSteps(changes);
  }

  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> } {
    return runSync(this.rewindInSteps(to.number))(to, rows);
  }

  rewindInSteps(number: bigint): Generator<void, StateStore["rewind"]> {
    return rewindInSteps(this.#head, number);
  }

  amend(changes: StateChanges): Amendment {
    return runSync(amendInSteps(this.#head, changes));
  }

  async amendAtPace(changes: StateChanges, pace: Pace): Promise<Amendment> {
    return runPaced(pace, amendInSteps(this.#head, changes));
  }

  atomically(action: () => void): Promise<void> {
    return this.#head.log.atomically(action);
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
    this.#head.put(rows);
    return this.#head.log.recordUnlessFailing(record);
  }

  verify(onAccount?: (key: Uint8Array) => void): StateCounts {
    this.#database.verifyRows();
    return verifyState(this.#head.tables, this.#head.root, onAccount);
  }

  tableSizes(): ReadonlyMap<string, TableSize> {
    return new Map(this.#database.tableNames.map((name) => [name, tableSize(this.#database.table(name))]));
  }

  stats(): StoreStats {
    const { storeBytes, logBytes } = this.#database.size();
    return { storeBytes, logBytes, unflushedBytes: this.#database.unflushedBytes, ...this.#recovery };
  }

  use(): StoreUsage {
    return {
      tables: this.#database.use,
      accounts: this.#head.accounts.use,
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
}
