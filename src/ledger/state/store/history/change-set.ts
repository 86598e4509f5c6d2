import { runSync } from "../../../../platform/runtime/turns/pace.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { sortKeys } from "../../../database/table/sort-keys.ts";
import type { FlatChange } from "../flat/flat-changes.ts";
import { ByteReader, ByteWriter } from "../log/byte-writer.ts";

const HASH = 32;
/** State root before the block, number of rows. */
const HEADER = HASH + 4;
/** Changes encoded per step. */
const CHANGES_PER_STEP = 128;

/**
 * The undo data of a block: the previous state root and the previous values of the flat rows it changed, sorted by key.
 * A single buffer, searched in place; one object per row would cost ten times the memory.
 */
export class ChangeSet {
  readonly bytes: Uint8Array;
  readonly #count: number;
  readonly #offsets: DataView;

  /** @param bytes - made by `encode`; retained, not copied */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#count = new ByteReader(bytes, HASH).uint32();
    this.#offsets = new DataView(bytes.buffer, bytes.byteOffset + HEADER, 4 * this.#count);
  }

  static encode(rootBefore: Hash, changes: readonly FlatChange[]): Uint8Array {
    const order = sortKeys(changes.length, (i) => (changes[i] as FlatChange).key);
    return runSync(
      ChangeSet.encodeSorted(
        rootBefore,
        Array.from(order, (i) => changes[i] as FlatChange),
      ),
    );
  }

  /** As `encode`, in steps, for changes already sorted by key. */
  static *encodeSorted(rootBefore: Hash, changes: readonly FlatChange[]): Generator<void, Uint8Array> {
    const rows = new ByteWriter(64 + changes.length * 96);
    const head = new ByteWriter(HEADER + 4 * changes.length).raw(rootBefore).uint32(changes.length);
    let encoded = 0;
    for (const { key, before } of changes) {
      head.uint32(HEADER + 4 * changes.length + rows.length);
      rows.uint8(key.length).raw(key).optional(before);
      if (++encoded % CHANGES_PER_STEP === 0) yield;
    }
    return head.raw(rows.bytes()).bytes();
  }

  get rootBefore(): Hash {
    return this.bytes.slice(0, HASH);
  }

  get size(): number {
    return this.#count;
  }

  /** Row before the block: null for none, undefined for a row the block did not change. A view. */
  find(key: Uint8Array): Uint8Array | null | undefined {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, key);
      if (order === 0) return this.#row(middle)[1];
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Keys and previous rows in key order; views. */
  *rows(): Generator<readonly [key: Uint8Array, before: Uint8Array | null]> {
    for (let i = 0; i < this.#count; i++) yield this.#row(i);
  }

  /** As `rows`, in the form of changes whose results are not known. */
  *changes(): Generator<Pick<FlatChange, "key" | "before">> {
    for (const [key, before] of this.rows()) yield { key, before: before ?? undefined };
  }

  #offset(index: number): number {
    return this.#offsets.getUint32(4 * index, true);
  }

  #row(index: number): readonly [Uint8Array, Uint8Array | null] {
    const reader = new ByteReader(this.bytes, this.#offset(index));
    return [reader.raw(reader.uint8()), reader.optional()];
  }

  #compare(index: number, key: Uint8Array): number {
    const offset = this.#offset(index);
    const length = this.bytes[offset] as number;
    const shorter = Math.min(length, key.length);
    for (let i = 0; i < shorter; i++) {
      const difference = (this.bytes[offset + 1 + i] as number) - (key[i] as number);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }
}
