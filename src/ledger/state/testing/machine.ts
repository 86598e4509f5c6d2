import { createSimulatedFiles, type SimulatedFiles } from "../../../platform/runtime/simulated-files.ts";
import { Database } from "../../database/database.ts";
import { CommitLog } from "../../database/log/commit-log.ts";
import { createMemoryStore } from "../../database/memory/memory-store.ts";
import type { KeyValueStore } from "../../database/store.ts";
import { DatabaseStateStore } from "../store/database-state-store.ts";
import type { HistoryOptions } from "../store/history.ts";

/** Small enough that every few records are flushed. */
const FLUSH_BYTES = 40_000;

/** A machine with a store of states that can lose power at any moment: an engine in memory, a log on a simulated disk. */
export class Machine {
  readonly #engine: KeyValueStore = createMemoryStore();
  readonly #options: HistoryOptions;
  #alive = { value: true };
  files: SimulatedFiles = createSimulatedFiles();
  database!: Database;
  store!: DatabaseStateStore;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.start();
  }

  /** Opens the store on what the disk has. */
  start(): void {
    const alive = { value: true };
    this.#alive = alive;
    const store: KeyValueStore = {
      ...this.#engine,
      // What a machine without power was about to write never arrives.
      write: (batch) => (alive.value ? this.#engine.write(batch) : new Promise(() => {})),
    };
    this.database = new Database({ store, log: new CommitLog(this.files, "db"), flushBytes: FLUSH_BYTES });
    this.store = new DatabaseStateStore(this.database, this.#options);
  }

  /** Stops at once; of what was being appended to the log `keep(bytes)` bytes are left. */
  losePower(keep: (appending: number) => number): void {
    this.#alive.value = false;
    this.files = this.files.afterPowerLoss(keep);
  }
}

/** Resolves after pending disk writes of `turns` turns have ended. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
