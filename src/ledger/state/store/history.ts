import { mergeSort } from "../../../platform/runtime/merge-sort.ts";
import { atOnce } from "../../../platform/runtime/pace.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { Database } from "../../database/database.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import { Archive } from "./archive.ts";
import { ChangeSet } from "./change-set.ts";
import { byKey, type FlatChange } from "./flat-changes.ts";
import { keyNumber, numberKey, type StateTables } from "./tables.ts";

/** Change sets that were asked for are kept in memory up to this many bytes. */
const KEPT_SETS_BYTES = 16 << 20;
/** Changes that are looked at in one step. */
const CHANGES_A_STEP = 512;
/** Row of the head table with the first block whose state an archive has. */
const ARCHIVE_FROM_KEY = Buffer.from("archive");

export interface HistoryOptions {
  /** Blocks before the head whose states are kept. */
  readonly recentBlocks: number;
  /** Keep the states of all blocks from now on. */
  /** Undefined: as the database was opened last. */
  readonly archive: boolean | undefined;
}

/** Past states, as what later blocks overwrote. */
export class History {
  readonly #tables: StateTables;
  readonly #recentBlocks: bigint;
  readonly #archive: Archive | undefined;
  readonly #archiveFrom: bigint | undefined;
  readonly #sets = new Map<bigint, ChangeSet>();
  #setsBytes = 0;
  #head: bigint;
  /** The oldest block whose change set is there; head + 1 when there is none. */
  #oldestSet: bigint;

  /** @param head - number of the newest block in the tables, -1 without one */
  constructor(
    database: Database,
    tables: StateTables,
    { recentBlocks, archive }: HistoryOptions,
    head: bigint,
  ) {
    this.#tables = tables;
    this.#recentBlocks = BigInt(recentBlocks);
    this.#head = head;
    this.#oldestSet = head + 1n;
    for (const [key] of tables.changes.range(numberKey(0n))) {
      this.#oldestSet = keyNumber(key);
      break;
    }
    const isArchive = archive ?? tables.head.get(ARCHIVE_FROM_KEY) !== undefined;
    if (isArchive) this.#archive = new Archive(database, tables.history);
    this.#archiveFrom = this.#noteArchive(isArchive);
  }

  /** Notes a block that is about to become the head. `rootBefore` is undefined for the first. */
  add(number: bigint, rootBefore: Hash | undefined, changes: readonly FlatChange[]): void {
    this.#head = number;
    if (!rootBefore) {
      this.#oldestSet = number + 1n;
      return;
    }
    this.#tables.changes.put(numberKey(number), ChangeSet.encode(rootBefore, changes));
    for (const { key, before } of this.#archive ? changes : []) this.#archive?.add(number, key, before);
    for (; this.#oldestSet <= number - this.#recentBlocks; this.#oldestSet++) this.#forget(this.#oldestSet);
  }

  /** Notes a change of the head's state without a block, as if the head's block had made it. */
  amend(changes: readonly FlatChange[]): void {
    atOnce(this.amendInSteps(changes))();
  }

  /** As `amend`, in steps that change nothing. @returns what notes it, while head and history are as they were */
  *amendInSteps(changes: readonly FlatChange[]): Generator<void, () => void> {
    // Nothing lies before the first block.
    if (this.#oldestSet > this.#head) return () => {};
    const set = this.#set(this.#head);
    const fresh: FlatChange[] = [];
    for (const [i, change] of changes.entries()) {
      if (i % CHANGES_A_STEP === CHANGES_A_STEP - 1) yield;
      if (set.find(change.key) === undefined) fresh.push(change);
    }
    if (fresh.length === 0) return () => {};
    const all = fresh.slice();
    for (const [key, before] of set.rows()) all.push({ key, before: before ?? undefined, after: null });
    const encoded = yield* ChangeSet.encodeSorted(set.rootBefore, yield* mergeSort(all, byKey));
    return () => {
      this.#drop(this.#head);
      this.#tables.changes.put(numberKey(this.#head), encoded);
      for (const { key, before } of this.#archive ? fresh : []) this.#archive?.add(this.#head, key, before);
    };
  }

  /** Takes back the blocks after `number`. */
  rewind(number: bigint): void {
    for (; this.#head > number; this.#head--) {
      if (this.#archive)
        for (const [key] of this.#set(this.#head).rows()) this.#archive.remove(this.#head, key);
      this.#forget(this.#head);
    }
  }

  /** Whether the state after a block is there. */
  has(number: bigint): boolean {
    return number <= this.#head && (this.#isRecent(number) || this.#isArchived(number));
  }

  /** A flat row as after block `number`: null for none, undefined when it has not changed since. A view. */
  rowAfter(key: Uint8Array, number: bigint): Uint8Array | null | undefined {
    if (this.#archive && this.#isArchived(number)) return this.#archive.rowAfter(key, number);
    this.#require(number);
    for (let block = number + 1n; block <= this.#head; block++) {
      const row = this.#set(block).find(key);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The rows that changed after block `number`, as they were after it, in order of keys from `from` on. */
  rowsAfter(number: bigint, from: Uint8Array): Iterable<readonly [Uint8Array, Uint8Array | null]> {
    if (this.#archive && this.#isArchived(number)) return this.#archive.rowsAfter(number, from);
    return this.changedSince(number).range(from);
  }

  /**
   * All rows that changed after block `number`, as they were after it.
   * @throws StateError `STATE_PRUNED` when that is not among the recent blocks
   */
  changedSince(number: bigint): ByteTable {
    return atOnce(this.changesSince(number));
  }

  /**
   * As `changedSince`, block by block down from the present head.
   * @param most - rows after which it is given up
   * @throws StateError `STATE_PRUNED` also when that becomes so meanwhile, or there are more rows
   */
  *changesSince(number: bigint, most = Number.POSITIVE_INFINITY): Generator<void, ByteTable> {
    const rows = new ByteTable();
    for (let block = this.#head; block > number; block--) {
      this.#require(number);
      for (const [key, before] of this.#set(block).rows()) rows.set(key, before);
      if (rows.size > most) throw tooFarBack(number);
      yield;
    }
    this.#require(number);
    return rows;
  }

  /** Root of the state after a recent block before the head. */
  rootAfter(number: bigint): Hash {
    this.#require(number);
    return this.#set(number + 1n).rootBefore;
  }

  #isRecent(number: bigint): boolean {
    return number >= this.#oldestSet - 1n;
  }

  #isArchived(number: bigint): boolean {
    return this.#archiveFrom !== undefined && number >= this.#archiveFrom;
  }

  #require(number: bigint): void {
    if (number > this.#head || !this.#isRecent(number))
      throw new StateError("STATE_PRUNED", `the state of block ${number} is not kept`, { number });
  }

  #set(number: bigint): ChangeSet {
    const kept = this.#sets.get(number);
    if (kept) return kept;
    const bytes = this.#tables.changes.get(numberKey(number));
    if (!bytes)
      throw new StateError("STATE_DAMAGED", `the change set of block ${number} is missing`, { number });
    const set = new ChangeSet(bytes);
    this.#sets.set(number, set);
    this.#setsBytes += bytes.length;
    for (const oldest of this.#sets.keys()) {
      if (this.#setsBytes <= KEPT_SETS_BYTES || oldest === number) break;
      this.#drop(oldest);
    }
    return set;
  }

  #forget(number: bigint): void {
    this.#tables.changes.put(numberKey(number), null);
    this.#drop(number);
  }

  #drop(number: bigint): void {
    this.#setsBytes -= this.#sets.get(number)?.bytes.length ?? 0;
    this.#sets.delete(number);
  }

  /** An archive is whole from the block on at which it was begun; a run without one ends it. */
  #noteArchive(archive: boolean): bigint | undefined {
    const noted = this.#tables.head.get(ARCHIVE_FROM_KEY);
    if (!archive) {
      if (noted) this.#tables.head.put(ARCHIVE_FROM_KEY, null);
      return undefined;
    }
    if (noted) return keyNumber(noted);
    const from = this.#head < 0n ? 0n : this.#head;
    this.#tables.head.put(ARCHIVE_FROM_KEY, numberKey(from));
    return from;
  }
}

function tooFarBack(number: bigint): StateError {
  const text = `too much has changed since block ${number} for a proof`;
  return new StateError("STATE_PRUNED", text, { number });
}
