// One class: what is noted, kept and turned back follows from the same era and the same rows.
import { mergeSort } from "../../../../platform/runtime/merge-sort.ts";
import { atOnce } from "../../../../platform/runtime/turns/pace.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import type { Database } from "../../../database/database.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { joinLayers } from "../../../database/table/merge.ts";
import { StateError } from "../../errors.ts";
import { ACCOUNT_KEY, byKey, type FlatChange } from "../flat/flat-changes.ts";
import { keyNumber, numberKey, type StateTables } from "../tables.ts";
import { ChangeSet } from "./change-set.ts";
import { KeptStates } from "./kept-states.ts";

/** Change sets that were asked for are kept in memory up to this many bytes. */
const KEPT_SETS_BYTES = 16 << 20;
/** Changes that are looked at in one step. */
const CHANGES_A_STEP = 512;
/** A full node keeps every 128th state permanently, as in the reference node. */
const FULL_STEP = 128n;

/** Which historical states are kept. */
export interface HistoryOptions {
  /** Blocks before the head whose states are kept. */
  readonly recentBlocks: number;
  /** Keep the states of all blocks from now on, or else every `fullStep`-th. Undefined: as the database was opened last. */
  readonly archive: boolean | undefined;
  /** Blocks from one state that is kept for good to the next, without an archive. */
  readonly fullStep?: number;
}

/**
 * Past states, as what later blocks overwrote: block by block for the recent ones, and for good in the archive, for each
 * state that the present era keeps. An archive notes there what a block overwrites with the block; otherwise it is noted
 * when the block is no longer recent, once for all blocks between two states that are kept.
 */
export class History {
  readonly #tables: StateTables;
  readonly #recentBlocks: bigint;
  readonly #kept: KeptStates;
  /** Blocks from one state that is kept to the next; 1 in an archive. */
  readonly #step: bigint;
  readonly #sets = new Map<bigint, ChangeSet>();
  #setsBytes = 0;
  #rewinds = 0;
  #head: bigint;
  /** The oldest block whose change set is there; head + 1 when there is none. */
  #oldestSet: bigint;

  /** @param head - number of the newest block in the tables, -1 without one */
  constructor(
    database: Database,
    tables: StateTables,
    { recentBlocks, archive, fullStep }: HistoryOptions,
    head: bigint,
  ) {
    this.#tables = tables;
    this.#kept = new KeptStates(database, tables);
    this.#recentBlocks = BigInt(recentBlocks);
    this.#head = head;
    this.#oldestSet = head + 1n;
    for (const [key] of tables.changes.range(numberKey(0n))) {
      this.#oldestSet = keyNumber(key);
      break;
    }
    const isArchive = archive ?? this.#kept.eras.last?.step === 1n;
    this.#step = isArchive ? 1n : fullStep === undefined ? FULL_STEP : BigInt(fullStep);
    if (head >= 0n) this.#beginEra();
  }

  /** Counts rewinds. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** Notes a block that is about to become the head. `rootBefore` is undefined for the first. */
  add(number: bigint, rootBefore: Hash | undefined, changes: readonly FlatChange[]): void {
    this.#add(number, rootBefore && ChangeSet.encode(rootBefore, changes), changes);
  }

  /** As `add`, many changes in steps that change nothing. @returns what notes the block */
  *addInSteps(
    number: bigint,
    rootBefore: Hash | undefined,
    changes: readonly FlatChange[],
  ): Generator<void, () => void> {
    if (!rootBefore || changes.length <= CHANGES_A_STEP) return () => this.add(number, rootBefore, changes);
    const encoded = yield* ChangeSet.encodeSorted(rootBefore, yield* mergeSort(changes, byKey));
    return () => this.#add(number, encoded, changes);
  }

  #add(number: bigint, set: Uint8Array | undefined, changes: readonly FlatChange[]): void {
    this.#head = number;
    if (!set) {
      this.#oldestSet = number + 1n;
      this.#kept.eras.restart({ from: number, step: this.#step });
      return;
    }
    this.#tables.changes.put(numberKey(number), set);
    if (this.#kept.isArchive)
      for (const { key, before } of changes) this.#kept.archive.add(number, key, before);
    for (; this.#oldestSet <= number - this.#recentBlocks; this.#oldestSet++) {
      if (!this.#kept.isNoted(this.#oldestSet)) this.#noteSet(this.#oldestSet);
      this.#forget(this.#oldestSet);
    }
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
      if (this.#kept.isNoted(this.#head))
        for (const { key, before } of fresh) this.#kept.note(this.#head, key, before);
    };
  }

  /** Removes the blocks after `number`. */
  rewind(number: bigint): void {
    this.#rewinds++;
    for (; this.#head > number; this.#head--) {
      if (this.#kept.isNoted(this.#head)) this.#kept.takeBack(this.#head, number, this.#set(this.#head));
      this.#forget(this.#head);
    }
    this.#kept.eras.rewind(number);
  }

  /** Whether the state after a block is available. */
  has(number: bigint): boolean {
    return number <= this.#head && (this.isRecent(number) || this.#kept.eras.keeps(number));
  }

  /** A flat row as after block `number`: null for none, undefined when it has not changed since. A view. */
  rowAfter(key: Uint8Array, number: bigint): Uint8Array | null | undefined {
    if (!this.#isInSets(number)) {
      this.#requireKept(number);
      const row = this.#kept.archive.rowAfter(key, number);
      if (row !== undefined || this.#kept.isArchive) return row;
    }
    for (let block = this.#firstSetAfter(number); block <= this.#head; block++) {
      const row = this.#set(block).find(key);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The rows that changed after block `number`, as they were after it, in order of keys from `from` on. */
  rowsAfter(number: bigint, from: Uint8Array): Iterable<readonly [Uint8Array, Uint8Array | null]> {
    if (this.#isInSets(number)) return this.changedSince(number).range(from);
    this.#requireKept(number);
    const noted = this.#kept.archive.rowsAfter(number, from);
    if (this.#kept.isArchive) return noted;
    return joinLayers(noted, this.changedSince(this.#oldestSet - 1n).range(from));
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

  /**
   * Rows of accounts, and of the slots of one, that changed after a kept block, as they were after it. In steps.
   * @param owner - hash of the address of that one
   * @param most - rows after which it is given up
   * @throws StateError `STATE_PRUNED` when there are more rows, or blocks are taken back meanwhile
   */
  accountsSince(number: bigint, owner: Uint8Array | undefined, most: number): Generator<void, ByteTable> {
    return this.#rowsSince(number, owner ? [undefined, owner] : [undefined], most);
  }

  /** As `accountsSince`, of the slots of one account alone. */
  slotsSince(number: bigint, owner: Uint8Array, most: number): Generator<void, ByteTable> {
    return this.#rowsSince(number, [owner], most);
  }

  /** @param kinds - accounts that have the slots; undefined = the accounts themselves */
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
    for (let block = this.#head; block >= this.#oldestSet && !this.#kept.isArchive; block--) {
      for (const [key, before] of this.#set(block).rows()) if (isWanted(key)) rows.set(key, before);
      yield;
      if (rewinds !== this.#rewinds) throw changedMeanwhile(number);
    }
    for (const kind of kinds)
      for (const found of this.#kept.archive.changedAfter(number, kind)) {
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

  /** Whether the block is among those that have what they overwrote one by one, or is followed by them. */
  isRecent(number: bigint): boolean {
    return number >= this.#oldestSet - 1n;
  }

  /** Whether a state is read from the sets of blocks alone. An archive is faster where it has noted all. */
  #isInSets(number: bigint): boolean {
    const { eras, isArchive } = this.#kept;
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

  #noteSet(number: bigint): void {
    for (const [key, before] of this.#set(number).rows()) this.#kept.note(number, key, before ?? undefined);
  }

  /** Begins another era where the mode has changed: all that happened before is noted first. */
  #beginEra(): void {
    const { eras } = this.#kept;
    if (!eras.last) eras.restart({ from: this.#oldestSet - 1n, step: FULL_STEP });
    if (eras.last?.step === this.#step) return;
    for (let block = this.#oldestSet; block <= this.#head; block++)
      if (!this.#kept.isNoted(block)) this.#noteSet(block);
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
  return new StateError("STATE_PRUNED", "blocks were taken back while a proof was made", { number });
}

function startsWith(key: Uint8Array, prefix: Uint8Array): boolean {
  return equalBytes(key.subarray(0, prefix.length), prefix);
}

function tooFarBack(number: bigint): StateError {
  const text = `too much has changed since block ${number} to hash its state`;
  return new StateError("STATE_PRUNED", text, { number });
}
