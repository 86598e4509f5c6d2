import { DatabaseError } from "../errors.ts";
import type { KeyValueStore, StoredRow } from "../store.ts";
import { ByteTable } from "./byte-table.ts";
import { type LayerRow, mergeLayers } from "./merge.ts";
import type { RecordCache } from "./record-cache.ts";

/** Maximum length of a table key. */
const MAX_KEY_BYTES = 255;

/** Activity of a table; iterations are not counted. */
export interface TableUsage {
  readonly reads: number;
  /** Reads that missed memory and went to the engine. */
  readonly engineReads: number;
  readonly writes: number;
}

/**
 * One named table: rows of the engine under a prefix byte, below two in-memory layers of changed rows. `fresh` takes
 * changes; during a flush, `flushing` holds those being written.
 */
export class Table {
  readonly #id: number;
  readonly #store: KeyValueStore;
  readonly #cache: RecordCache | undefined;
  #fresh = new ByteTable();
  #flushing: ByteTable | undefined;
  readonly #key = new Uint8Array(MAX_KEY_BYTES + 1);
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

  /** Value of a key, undefined if there is none; valid until the table is next read or changed. */
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

  /** As `view`, as a copy. */
  get(key: Uint8Array): Uint8Array | undefined {
    return this.view(key)?.slice();
  }

  /** Rows with from ≤ key < to (no `to`: to the end); keys are copies, values valid until the next step. */
  range(from: Uint8Array, to?: Uint8Array, reverse = false): Iterable<readonly [Uint8Array, Uint8Array]> {
    const layers: Iterable<LayerRow>[] = [this.#fresh.range(from, to, reverse)];
    if (this.#flushing) layers.push(this.#flushing.range(from, to, reverse));
    layers.push(this.stored(from, to, reverse));
    return mergeLayers(layers, reverse);
  }

  /** Rows of the engine alone, without unflushed changes; valid until the next step. */
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
    if (key.length > MAX_KEY_BYTES)
      throw new DatabaseError("DATABASE_KEY", `key of ${key.length} bytes`, { longest: MAX_KEY_BYTES });
    this.#writes++;
    this.#fresh.set(key, value);
  }

  /**
   * As `put` for each row of a table, which the caller hands over. Takes time proportional to the smaller of that table
   * and the rows changed since the last flush.
   */
  adopt(rows: ByteTable): void {
    this.#writes += rows.size;
    const [few, many] = rows.size < this.#fresh.size ? [rows, this.#fresh] : [this.#fresh, rows];
    few.copyTo(many, few === rows);
    this.#fresh = many;
  }

  /** Activity since the database was opened. */
  get use(): TableUsage {
    return { reads: this.#reads, engineReads: this.#engineReads, writes: this.#writes };
  }

  /** Begins a flush: the changes so far become the flushing layer. */
  beginFlush(): void {
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

  /** Ends a flush: the engine now has the rows of the flushing layer, which serves reads until the cache has taken them over. */
  *endFlush(): Generator<void> {
    if (this.#flushing && this.#cache) yield* this.#cache.absorb(this.#flushing);
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

  /** Reads through the cache, so that the view stays valid across further reads. */
  #cached(cache: RecordCache, key: Uint8Array): Uint8Array | undefined {
    const known = cache.get(key);
    if (known !== undefined) return known ?? undefined;
    this.#engineReads++;
    const stored = this.#store.get(this.#storeKey(key));
    if (!stored) return undefined;
    cache.set(key, stored);
    return cache.get(key) ?? undefined;
  }

  /** The engine's key, in a buffer reused by the next call; views are cached by length. */
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
