import type { Database } from "../../../database/database.ts";
import type { StateTables } from "../tables.ts";
import { Archive } from "./archive.ts";
import type { ChangeSet } from "./change-set.ts";
import { type Era, Eras, keptBefore } from "./eras.ts";

/** The states that are kept for good: which they are, and what later blocks overwrote. */
export class KeptStates {
  readonly archive: Archive;
  readonly eras: Eras;

  constructor(database: Database, tables: StateTables) {
    this.archive = new Archive(database, tables.history);
    this.eras = new Eras(tables.head);
  }

  /** Whether every state is kept at present. */
  get isArchive(): boolean {
    return this.eras.last?.step === 1n;
  }

  /** Whether what a block overwrote is in the archive, though its set may be there too. */
  isNoted(number: bigint): boolean {
    const era = this.eras.ofChange(number);
    return era !== undefined && (era.step === 1n || era !== this.eras.last);
  }

  /** Notes what a block overwrote for the newest kept state before it, unless an earlier block after that state did. */
  note(number: bigint, key: Uint8Array, before: Uint8Array | undefined): void {
    const era = this.eras.ofChange(number);
    if (!era) return;
    const place = keptBefore(number, era) + 1n;
    if (!this.archive.has(place, key)) this.archive.add(place, key, before);
  }

  /** Takes out what a block noted for a state that is itself taken back, or is the new head. */
  takeBack(number: bigint, newHead: bigint, set: ChangeSet): void {
    const kept = keptBefore(number, this.eras.ofChange(number) as Era);
    if (kept < newHead) return;
    for (const [key] of set.rows()) this.archive.remove(kept + 1n, key);
  }
}
