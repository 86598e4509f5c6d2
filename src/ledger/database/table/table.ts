import { DatabaseError } from "../errors.ts";
import type { KeyValueStore, StoredRow } from "../store.ts";
import { ByteTable } from "./byte-table.ts";
import { type LayerRow, mergeLayers } from "./merge.ts";
import type { RecordCache } from "./record-cache.ts";

/** Longest key of a table, in bytes. */
const LONGEST_KEY = 255;

/** What was done with a table; iterations are not counted. */
export interface TableUse {
  readonly reads: number;
  /** Reads that nothing in memory could answer. */
  readonly engineReads: number;
  readonly writes: number;
}

/**
 * One named table: rows of the engine under a prefix byte, with the rows that were changed since in two layers above
 * them. `fresh` takes changes; while a flush is under way, `flushing` holds those it writes.
 */
export class Table {
  readonly #id: number;
  readonly #store: KeyValueStore;
  readonly #cache: RecordCache | undefined;
  #fresh = new ByteTable();
  #flushing: ByteTable | undefined;
  readonly #key = new Uint8Array(LONGEST_KEY + 1);
  readonly #keys: Uint8Array[] = [];
  #reads = 0;
  #engineReads = 0;
  #writes = 0;

  constructor(id: number, store: KeyValueStore, cache?: RecordCache) {
    this.#id = id;
    this.#store = store;
    this.#cache = cache;
    this.#key[0] = id;
  }

  /** Value of a key, undefined when there is none; valid until the table is next read or changed. */
  view(key: Uint8Array): Uint8Array | undefined {
    this.#reads++;
    const fresh = this.#fresh.get(key);
    if (fresh !== undefined) return fresh ?? undefined;
    const flushing = this.#flushing?.get(key);
    if (flushing !== undefined) return flushing ?? undefined;
    if (this.#cache) return this.#cached(this.#cache, key);
    this.#engineReads++;
    return this.#store.get(this.#storeKey(key));
  }

  /** As `view`, in memory of the caller. */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.view(key)?.slice();
  }

  /** Rows with from ≤ key < to (no `to`: to the end); keys are the caller's, values valid until the next step. */
  range(from: Uint8Array, to?: Uint8Array, reverse = false): Iterable<readonly [Uint8Array, Uint8Array]> {
    const layers: Iterable<LayerRow>[] = [this.#fresh.range(from, to, reverse)];
    if (this.#flushing) layers.push(this.#flushing.range(from, to, reverse));
    layers.push(this.stored(from, to, reverse));
    return mergeLayers(layers, reverse);
  }

  /** Rows of the engine alone, without later changes; valid until the next step. */
  *stored(
    from: Uint8Array,
    to: Uint8Array | undefined,
    reverse = false,
  ): Generator<readonly [Uint8Array, Uint8Array]> {
    const end = to ? this.#storeKey(to).slice() : Uint8Array.of(this.#id + 1);
    for (const [key, value] of this.#store.range(this.#storeKey(from).slice(), end, reverse))
      yield [key.subarray(1), value];
  }

  /**
   * Changes a row; null deletes it. Copies both.
   * @throws DatabaseError `DATABASE_KEY`
   */
  put(key: Uint8Array, value: Uint8Array | null): void {
    if (key.length > LONGEST_KEY)
      throw new DatabaseError("DATABASE_KEY", `key of ${key.length} bytes`, { longest: LONGEST_KEY });
    this.#writes++;
    this.#fresh.set(key, value);
  }

  /**
   * Changes rows as `put` would each of those of a table, which the caller gives away. However many there are, that takes no
   * longer than the rows that were changed since the last flush.
   */
  adopt(rows: ByteTable): void {
    this.#writes += rows.size;
    const [few, many] = rows.size < this.#fresh.size ? [rows, this.#fresh] : [this.#fresh, rows];
    for (const [key, value] of few.entries())
      if (few === rows || many.get(key) === undefined) many.set(key, value);
    this.#fresh = many;
  }

  /** What was done since the database was opened. */
  get use(): TableUse {
    return { reads: this.#reads, engineReads: this.#engineReads, writes: this.#writes };
  }

  /** Starts a flush: what was changed so far becomes the flushing layer. */
  rotate(): void {
    if (this.#fresh.size === 0) return;
    this.#flushing = this.#fresh;
    this.#fresh = new ByteTable();
  }

  /** Rows of the flushing layer for the engine, in order. */
  *flushed(): Generator<StoredRow> {
    if (!this.#flushing) return;
    for (const [key, value] of this.#flushing.range(new Uint8Array(0)))
      yield { key: this.#storeKey(key), value };
  }

  /** Ends a flush: the engine has the rows of the flushing layer. */
  settle(): void {
    if (this.#flushing) this.#cache?.absorb(this.#flushing);
    this.#flushing = undefined;
  }

  /** Number of changed rows. */
  get changedRows(): number {
    return this.#fresh.size + (this.#flushing?.size ?? 0);
  }

  /** Bytes of memory held by changed rows. */
  get bytes(): number {
    return this.#fresh.bytes + (this.#flushing?.bytes ?? 0);
  }

  /** Reads through the cache, so that the view outlives the engine's next read. */
  #cached(cache: RecordCache, key: Uint8Array): Uint8Array | undefined {
    const known = cache.get(key);
    if (known !== undefined) return known ?? undefined;
    this.#engineReads++;
    const stored = this.#store.get(this.#storeKey(key));
    if (!stored) return undefined;
    cache.set(key, stored);
    return cache.get(key) ?? undefined;
  }

  /** The engine's key, in memory reused by the next call; one view per length is kept. */
  #storeKey(key: Uint8Array): Uint8Array {
    this.#key.set(key, 1);
    const length = key.length + 1;
    const known = this.#keys[length];
    if (known) return known;
    const view = this.#key.subarray(0, length);
    this.#keys[length] = view;
    return view;
  }
}
