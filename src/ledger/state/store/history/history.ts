// One class: what is recorded, retained and rewound follows from the same era and the same rows.

import { mergeSort } from "../../../../platform/runtime/merge-sort.ts";
import { runSync } from "../../../../platform/runtime/turns/pace.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import type { Database } from "../../../database/database.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { joinLayers } from "../../../database/table/merge.ts";
import { numberKey } from "../../../database/table/number-key.ts";
import { StateError } from "../../errors.ts";
import { ACCOUNT_KEY, byKey, type FlatChange } from "../flat/flat-changes.ts";
import { keyNumber, type StateTables } from "../tables.ts";
import { ChangeSet } from "./change-set.ts";
import { RetainedStates } from "./retained-states.ts";
import type { StagedArchive } from "./staged-archive.ts";

/** Bytes of change sets cached in memory. */
const KEPT_SETS_BYTES = 16 << 20;
/** Changes processed per step. */
const CHANGES_PER_STEP = 128;
/** A full node keeps every 128th state permanently, as in the reference node. */
const FULL_STEP = 128n;

/** Which historical states are kept. */
export interface HistoryOptions {
  /** Blocks before the head whose states are kept. */
  readonly recentBlocks: number;
  /** Keep the states of all blocks from now on, or else every `fullStep`-th. Undefined: as the database was last opened. */
  readonly archive: boolean | undefined;
  /** Distance in blocks between permanently kept states, unless an archive. */
  readonly fullStep?: number;
}

/**
 * Past states, stored as the rows that later blocks overwrote: in one change set per recent block, and permanently in the
 * archive table for each state that the current era retains. An archive node adds them there with each block; otherwise a
 * block's change set moves there once it is no longer recent, merged with those since the last retained state.
 */
export class History {
  readonly #tables: StateTables;
  readonly #recentBlocks: bigint;
  readonly #retained: RetainedStates;
  /** Distance in blocks between retained states; 1 in an archive. */
  readonly #step: bigint;
  readonly #sets = new Map<bigint, ChangeSet>();
  #setsBytes = 0;
  #rewinds = 0;
  #head: bigint;
  /** The oldest block with a change set; head + 1 if there is none. */
  #oldestSet: bigint;

  /** @param head - number of the newest block in the tables, -1 without one */
  constructor(
    database: Database,
    tables: StateTables,
    { recentBlocks, archive, fullStep }: HistoryOptions,
    head: bigint,
  ) {
    this.#tables = tables;
    this.#retained = new RetainedStates(database, tables);
    this.#recentBlocks = BigInt(recentBlocks);
    this.#head = head;
    this.#oldestSet = head + 1n;
    for (const [key] of tables.changes.range(numberKey(0n))) {
      this.#oldestSet = keyNumber(key);
      break;
    }
    const isArchive = archive ?? this.#retained.eras.last?.step === 1n;
    this.#step = isArchive ? 1n : fullStep === undefined ? FULL_STEP : BigInt(fullStep);
    if (head >= 0n) this.#beginEra();
  }

  /** Whether the state of every block is kept. */
  get isArchive(): boolean {
    return this.#step === 1n;
  }

  /** Number of rewinds so far. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** Records a block about to become the head. `rootBefore` is undefined for the first. */
  add(number: bigint, rootBefore: Hash | undefined, changes: readonly FlatChange[]): void {
    runSync(this.#addInSteps(number, rootBefore && ChangeSet.encode(rootBefore, changes), changes))();
  }

  /** As `add`, encoding many changes in steps without effects. @returns a function that records the block */
  *addInSteps(
    number: bigint,
    rootBefore: Hash | undefined,
    changes: readonly FlatChange[],
  ): Generator<void, () => void> {
    const encoded =
      !rootBefore || changes.length <= CHANGES_PER_STEP
        ? rootBefore && ChangeSet.encode(rootBefore, changes)
        : yield* ChangeSet.encodeSorted(rootBefore, yield* mergeSort(changes, byKey));
    return yield* this.#addInSteps(number, encoded, changes);
  }

  /** @param set - encoded; undefined for the first block */
  *#addInSteps(
    number: bigint,
    set: Uint8Array | undefined,
    changes: readonly FlatChange[],
  ): Generator<void, () => void> {
    if (!set)
      return () => {
        this.#head = number;
        this.#oldestSet = number + 1n;
        this.#retained.eras.restart({ from: number, step: this.#step });
      };
    const archive = this.#retained.archive.stage();
    if (this.#retained.isArchive) yield* archive.addAll(number, changes);
    const oldest = this.#oldestSet;
    const kept = number - this.#recentBlocks + 1n;
    yield* this.#archiveSets(oldest, kept, archive);
    return () => {
      this.#head = number;
      this.#tables.changes.put(numberKey(number), set);
      this.#retained.archive.adopt(archive);
      for (; this.#oldestSet < kept; this.#oldestSet++) this.#forget(this.#oldestSet);
    };
  }

  /** Records a change of the head's state outside any block, as if the head's block had made it. */
  amend(changes: readonly FlatChange[]): void {
    runSync(this.amendInSteps(changes))();
  }

  /** As `amend`, in steps without effects. @returns a function that records it, valid while head and history are unchanged */
  *amendInSteps(changes: readonly FlatChange[]): Generator<void, () => void> {
    // There is no state before the first block.
    if (this.#oldestSet > this.#head) return () => {};
    const set = this.#set(this.#head);
    const fresh: FlatChange[] = [];
    for (const [i, change] of changes.entries()) {
      if (i % CHANGES_PER_STEP === CHANGES_PER_STEP - 1) yield;
      if (set.find(change.key) === undefined) fresh.push(change);
    }
    if (fresh.length === 0) return () => {};
    const all = fresh.slice();
    for (const [key, before] of set.rows()) all.push({ key, before: before ?? undefined, after: null });
    const encoded = yield* ChangeSet.encodeSorted(set.rootBefore, yield* mergeSort(all, byKey));
    const archive = this.#retained.archive.stage();
    const under = this.#retained.archivedUnder(this.#head);
    if (under !== undefined && this.#retained.isArchived(this.#head)) yield* archive.addMissing(under, fresh);
    return () => {
      this.#drop(this.#head);
      this.#tables.changes.put(numberKey(this.#head), encoded);
      this.#retained.archive.adopt(archive);
    };
  }

  /** Removes the blocks after `number`. */
  rewind(number: bigint): void {
    this.#rewinds++;
    for (; this.#head > number; this.#head--) {
      if (this.#retained.isArchived(this.#head))
        this.#retained.unarchive(this.#head, number, this.#set(this.#head));
      this.#forget(this.#head);
    }
    this.#retained.eras.rewind(number);
  }

  /** Whether the state after a block is available. */
  has(number: bigint): boolean {
    return number <= this.#head && (this.isRecent(number) || this.#retained.eras.keeps(number));
  }

  /** A flat row after block `number`: null for none, undefined if it has not changed since. A view. */
  rowAfter(key: Uint8Array, number: bigint): Uint8Array | null | undefined {
    if (!this.#isInSets(number)) {
      this.#requireKept(number);
      const row = this.#retained.archive.rowAfter(key, number);
      if (row !== undefined || this.#retained.isArchive) return row;
    }
    for (let block = this.#firstSetAfter(number); block <= this.#head; block++) {
      const row = this.#set(block).find(key);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The rows that changed after block `number`, as they were after it, in key order starting at `from`. */
  rowsAfter(number: bigint, from: Uint8Array): Iterable<readonly [Uint8Array, Uint8Array | null]> {
    if (this.#isInSets(number)) return this.changedSince(number).range(from);
    this.#requireKept(number);
    const noted = this.#retained.archive.rowsAfter(number, from);
    if (this.#retained.isArchive) return noted;
    return joinLayers(noted, this.changedSince(this.#oldestSet - 1n).range(from));
  }

  /**
   * All rows that changed after block `number`, as they were after it.
   * @throws StateError `STATE_PRUNED` if the block is not recent
   */
  changedSince(number: bigint): ByteTable {
    return runSync(this.changesSince(number));
  }

  /**
   * As `changedSince`, in steps of one block down from the head.
   * @param most - maximum number of rows
   * @throws StateError `STATE_PRUNED` also if the block is pruned meanwhile, or there are more rows
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

  /**
   * Rows of all accounts, and of the slots of one, that changed after a retained block, as they were after it. In steps.
   * @param owner - hashed address of that account
   * @param most - maximum number of rows
   * @throws StateError `STATE_PRUNED` if there are more rows, or the chain is rewound meanwhile
   */
  accountsSince(number: bigint, owner: Uint8Array | undefined, most: number): Generator<void, ByteTable> {
    return this.#rowsSince(number, owner ? [undefined, owner] : [undefined], most);
  }

  /** As `accountsSince`, for the slots of one account alone. */
  slotsSince(number: bigint, owner: Uint8Array, most: number): Generator<void, ByteTable> {
    return this.#rowsSince(number, [owner], most);
  }

  /** @param kinds - hashed addresses of accounts whose slots are wanted; undefined = the account rows themselves */
  *#rowsSince(
    number: bigint,
    kinds: readonly (Uint8Array | undefined)[],
    most: number,
  ): Generator<void, ByteTable> {
    const rewinds = this.#rewinds;
    const rows = new ByteTable();
    const isWanted = (key: Uint8Array) =>
      kinds.some((owner) =>
        key.length === ACCOUNT_KEY ? owner === undefined : owner !== undefined && startsWith(key, owner),
      );
    for (let block = this.#head; block >= this.#oldestSet && !this.#retained.isArchive; block--) {
      for (const [key, before] of this.#set(block).rows()) if (isWanted(key)) rows.set(key, before);
      yield;
      if (rewinds !== this.#rewinds) throw changedMeanwhile(number);
    }
    for (const kind of kinds)
      for (const found of this.#retained.archive.changedAfter(number, kind)) {
        for (const [key, before] of found) rows.set(key, before);
        if (rows.size > most) throw tooFarBack(number);
        yield;
        if (rewinds !== this.#rewinds) throw changedMeanwhile(number);
      }
    return rows;
  }

  /**
   * The rows that a recent block changed, as they were before it; views.
   * @throws StateError `STATE_PRUNED`
   */
  changedBy(number: bigint): Iterable<readonly [key: Uint8Array, before: Uint8Array | null]> {
    if (number < this.#oldestSet || number > this.#head) throw pruned(number);
    return this.#set(number).rows();
  }

  /** Root of the state after a recent block before the head. */
  rootAfter(number: bigint): Hash {
    this.#require(number);
    return this.#set(number + 1n).rootBefore;
  }

  /** Whether all blocks after this one have a change set, so that its state can be rebuilt from those. */
  isRecent(number: bigint): boolean {
    return number >= this.#oldestSet - 1n;
  }

  /** Whether a state is read from change sets alone; an archive that covers it is faster. */
  #isInSets(number: bigint): boolean {
    const { eras, isArchive } = this.#retained;
    return this.isRecent(number) && !(isArchive && eras.last && number >= eras.last.from);
  }

  #firstSetAfter(number: bigint): bigint {
    return number < this.#oldestSet ? this.#oldestSet : number + 1n;
  }

  #require(number: bigint): void {
    if (number > this.#head || !this.isRecent(number)) throw pruned(number);
  }

  #requireKept(number: bigint): void {
    if (!this.has(number)) throw pruned(number);
  }

  /** Archives the change sets from ≤ block < to that are not yet archived. */
  *#archiveSets(from: bigint, to: bigint, archive: StagedArchive): Generator<void> {
    const left: { readonly under: bigint; readonly set: ChangeSet }[] = [];
    for (let block = from; block < to; block++) {
      const under = this.#retained.archivedUnder(block);
      if (under !== undefined && !this.#retained.isArchived(block))
        left.push({ under, set: this.#set(block) });
    }
    for (const { under, set } of left) yield* archive.addMissing(under, set.changes());
  }

  /** Begins a new era if the mode has changed, after archiving all change sets so far. */
  #beginEra(): void {
    const { eras, archive } = this.#retained;
    if (!eras.last) eras.restart({ from: this.#oldestSet - 1n, step: FULL_STEP });
    if (eras.last?.step === this.#step) return;
    const staged = archive.stage();
    runSync(this.#archiveSets(this.#oldestSet, this.#head + 1n, staged));
    archive.adopt(staged);
    eras.begin({ from: this.#head, step: this.#step });
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
}

function pruned(number: bigint): StateError {
  return new StateError("STATE_PRUNED", `the state of block ${number} is not kept`, { number });
}

function changedMeanwhile(number: bigint): StateError {
  return new StateError("STATE_PRUNED", "the chain was rewound while a past state was being rebuilt", {
    number,
  });
}

function startsWith(key: Uint8Array, prefix: Uint8Array): boolean {
  return equalBytes(key.subarray(0, prefix.length), prefix);
}

function tooFarBack(number: bigint): StateError {
  const text = `too much has changed since block ${number} to hash its state`;
  return new StateError("STATE_PRUNED", text, { number });
}
