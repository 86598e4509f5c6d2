import type { Database } from "../../../database/database.ts";
import type { DiskHealth } from "../../../database/disk-health.ts";
import { groupLogEntries } from "./log-record.ts";

/** Writes entries of the state to the database's log: each as a record of its own, or several as one. */
export class StateLog {
  readonly health: DiskHealth;
  readonly #database: Database;
  /** The entries that become one record, while an action makes them. */
  #group: RecordGroup | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.health = database.health;
  }

  /** Writes an entry. Resolves when it is on disk, however long a failing disk takes. */
  record(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.#database.record(entry);
  }

  /** As `record`, but rejects as soon as the disk fails. Within a group its promise does that. */
  recordUnlessFailing(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.health.unlessFailing(this.#database.record(entry));
  }

  /** Makes all entries of an action one record, also when it throws. */
  atomically(action: () => void): Promise<void> {
    this.health.check();
    const group = new RecordGroup();
    this.#group = group;
    try {
      action();
    } finally {
      this.#group = undefined;
      group.end((entries) => this.#database.record(groupLogEntries(entries)));
    }
    return this.health.unlessFailing(group.durable);
  }
}

/** Entries of the log that become one record. */
class RecordGroup {
  /** Resolves when all of them are on disk. */
  readonly durable: Promise<void>;
  readonly #entries: Uint8Array[] = [];
  #settle: (recorded: Promise<void>) => void = () => {};

  constructor() {
    this.durable = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.durable.catch(() => {}); // whoever waits for an entry hears of a failure; nobody may
  }

  add(entry: Uint8Array): Promise<void> {
    this.#entries.push(entry);
    return this.durable;
  }

  end(record: (entries: readonly Uint8Array[]) => Promise<void>): void {
    this.#settle(this.#entries.length === 0 ? Promise.resolve() : record(this.#entries));
  }
}
