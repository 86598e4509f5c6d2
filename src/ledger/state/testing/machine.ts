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

/** A machine with a state store that can lose power at any moment: an in-memory engine and a log on a simulated disk. */
export class SimulatedMachine {
  /** Batches are atomic, like those of an engine on disk. */
  readonly #engine: KeyValueStore = createMemoryStore({ isDue: () => false, yield: async () => {} });
  #options: HistoryOptions;
  readonly #flushBytes: number;
  #alive = { value: true };
  files: SimulatedFiles = createSimulatedFiles();
  database!: Database;
  store!: DatabaseStateStore;

  readonly #timers: Timers;

  /**
   * @param flushBytes - bytes of unflushed changes that trigger a flush
   * @param timers - schedules retries on a failing disk
   */
  constructor(options: HistoryOptions, flushBytes = FLUSH_BYTES, timers: Timers = systemRuntime.timers) {
    this.#options = options;
    this.#timers = timers;
    this.#flushBytes = flushBytes;
    this.start();
  }

  /** Opens the store from the contents of the disk, with the previous options unless others are given. */
  start(options: Partial<HistoryOptions> = {}): void {
    this.#options = { ...this.#options, ...options };
    const alive = { value: true };
    this.#alive = alive;
    const store: KeyValueStore = {
      ...this.#engine,
      // Writes of a machine without power never arrive.
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

  /** Stops at once; of the bytes being appended to the log, `keep(bytes)` are left, in the sectors chosen by `isWritten`. */
  losePower(keep: (appending: number) => number, isWritten?: () => boolean): void {
    this.#alive.value = false;
    this.files = this.files.afterPowerLoss(keep, isWritten);
  }
}

/** Resolves after `count` turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
