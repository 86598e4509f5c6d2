import type { Database } from "../../../database/database.ts";
import type { DiskHealth } from "../../../database/disk-health.ts";
import { groupLogEntries } from "./log-record.ts";

/** Writes the state's entries to the database's log, singly or grouped into one record. */
export class StateLog {
  readonly health: DiskHealth;
  readonly #database: Database;
  /** Collects entries while an action runs whose entries form one record. */
  #group: RecordGroup | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.health = database.health;
  }

  /** Writes an entry; resolves when it is on disk, however long a failing disk takes to recover. */
  record(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.#database.record(entry);
  }

  /** As `record`, but rejects as soon as the disk fails; within a group, the group's promise does so. */
  recordUnlessFailing(entry: Uint8Array): Promise<void> {
    return this.#group?.add(entry) ?? this.health.unlessFailing(this.#database.record(entry));
  }

  /** Combines all entries of an action into one record, even if it throws. */
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

/** Log entries that form one record. */
class RecordGroup {
  /** Resolves when all of them are on disk. */
  readonly durable: Promise<void>;
  readonly #entries: Uint8Array[] = [];
  #settle: (recorded: Promise<void>) => void = () => {};

  constructor() {
    this.durable = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.durable.catch(() => {}); // those who await an entry get the rejection; perhaps nobody does
  }

  add(entry: Uint8Array): Promise<void> {
    this.#entries.push(entry);
    return this.durable;
  }

  end(record: (entries: readonly Uint8Array[]) => Promise<void>): void {
    this.#settle(this.#entries.length === 0 ? Promise.resolve() : record(this.#entries));
  }
}
