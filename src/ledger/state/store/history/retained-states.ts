import type { Database } from "../../../database/database.ts";
import type { StateTables } from "../tables.ts";
import { Archive } from "./archive.ts";
import type { ChangeSet } from "./change-set.ts";
import { type Era, Eras, keptBefore } from "./eras.ts";

/** The permanently kept states: which they are, and the rows that later blocks overwrote. */
export class RetainedStates {
  readonly archive: Archive;
  readonly eras: Eras;

  constructor(database: Database, tables: StateTables) {
    this.archive = new Archive(database, tables.history);
    this.eras = new Eras(tables.head);
  }

  /** Whether the current era keeps every state. */
  get isArchive(): boolean {
    return this.eras.last?.step === 1n;
  }

  /** Whether the rows a block overwrote are in the archive already; its change set may still exist too. */
  isArchived(number: bigint): boolean {
    const era = this.eras.ofChange(number);
    return era !== undefined && (era.step === 1n || era !== this.eras.last);
  }

  /**
   * The block under which the rows that a block overwrote are archived, right after the newest retained state before it;
   * undefined if no state before it is retained.
   */
  archivedUnder(number: bigint): bigint | undefined {
    const era = this.eras.ofChange(number);
    return era && keptBefore(number, era) + 1n;
  }

  /** Removes the rows a block archived for a retained state that is undone too, or is the new head. */
  unarchive(number: bigint, newHead: bigint, set: ChangeSet): void {
    const retained = keptBefore(number, this.eras.ofChange(number) as Era);
    if (retained < newHead) return;
    for (const [key] of set.rows()) this.archive.remove(retained + 1n, key);
  }
}
