import type { Timers } from "../../../platform/runtime/runtime.ts";
import { createSimulatedFiles, type SimulatedFiles } from "../../../platform/runtime/simulated/files.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { Database } from "../../database/database.ts";
import { DiskHealth } from "../../database/disk-health.ts";
import { CommitLog } from "../../database/log/commit-log.ts";
import { createMemoryStore } from "../../database/memory/memory-store.ts";
import type { KeyValueStore } from "../../database/store.ts";
import { DatabaseStateStore } from "../store/database-state-store.ts";
import type { HistoryOptions } from "../store/history/history.ts";

/** Small enough that every few records are flushed. */
const FLUSH_BYTES = 40_000;

/** A machine with a store of states that can lose power at any moment: an engine in memory, a log on a simulated disk. */
export class SimulatedMachine {
  /** Its batches are atomic, as those of an engine on disk. */
  readonly #engine: KeyValueStore = createMemoryStore({ isDue: () => false, giveWay: async () => {} });
  #options: HistoryOptions;
  readonly #flushBytes: number;
  #alive = { value: true };
  files: SimulatedFiles = createSimulatedFiles();
  database!: Database;
  store!: DatabaseStateStore;

  readonly #timers: Timers;

  /**
   * @param flushBytes - changes in memory from which they are written to the engine
   * @param timers - when a disk that failed is tried again
   */
  constructor(options: HistoryOptions, flushBytes = FLUSH_BYTES, timers: Timers = systemRuntime.timers) {
    this.#options = options;
    this.#timers = timers;
    this.#flushBytes = flushBytes;
    this.start();
  }

  /** Opens the store on what the disk has, with the options of before where others are not given. */
  start(options: Partial<HistoryOptions> = {}): void {
    this.#options = { ...this.#options, ...options };
    const alive = { value: true };
    this.#alive = alive;
    const store: KeyValueStore = {
      ...this.#engine,
      // What a machine without power was about to write never arrives.
      write: (batch) => (alive.value ? this.#engine.write(batch) : new Promise(() => {})),
    };
    const health = new DiskHealth(this.#timers);
    this.database = new Database({
      store,
      log: new CommitLog(this.files, "db", health),
      health,
      flushBytes: this.#flushBytes,
    });
    this.store = new DatabaseStateStore(this.database, this.#options);
  }

  /** Stops at once; of what was being appended to the log `keep(bytes)` bytes are left, in the sectors `isWritten` says. */
  losePower(keep: (appending: number) => number, isWritten?: () => boolean): void {
    this.#alive.value = false;
    this.files = this.files.afterPowerLoss(keep, isWritten);
  }
}

/** Resolves after pending disk writes of `turns` turns have ended. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
