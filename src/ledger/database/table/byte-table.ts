import { LazyOrder } from "./lazy-order.ts";
import { Slabs } from "./slabs.ts";
import { NO_BYTE } from "./sort-keys.ts";

const FREE = -1;
/** Value length of a tombstone, which hides the row in older layers. */
const DELETED = -1;
const FIRST_SLOTS = 64;
/** Clearing more than this costs more than allocating a new array. */
const MAX_REUSED_SLOTS = 4096;
/** Longer values get an array of their own. */
const MAX_IN_SLAB = 1 << 15;

/**
 * A map of bytes to bytes in typed arrays: a hash table over entries with stable indexes, whose keys and values lie in
 * slabs. Deleting leaves a tombstone. Returned views are valid until the key is set again.
 */
export class ByteTable {
  #slots = new Int32Array(FIRST_SLOTS).fill(FREE);
  #hashes = new Uint32Array(32);
  #places = new Uint32Array(32);
  #keyLengths = new Uint16Array(32);
  #valueLengths = new Int32Array(32);
  readonly #large = new Map<number, Uint8Array>();
  readonly #slabs = new Slabs();
  #size = 0;
  #largeBytes = 0;
  #order: LazyOrder | undefined;

  /** Number of keys, deleted ones included. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#slabs.bytes + this.#largeBytes + 4 * this.#slots.length + 14 * this.#hashes.length;
  }

  /** Value of a key, null for a tombstone, undefined for an unknown key. */
  get(key: Uint8Array): Uint8Array | null | undefined {
    const slot = this.#find(key, hashOf(key));
    return slot < 0 ? undefined : this.#value(this.#slots[slot] as number);
  }

  /** Copies key and value; null deletes. */
  set(key: Uint8Array, value: Uint8Array | null): void {
    const hash = hashOf(key);
    const slot = this.#find(key, hash);
    if (slot < 0) this.#add(~slot, hash, key, value);
    else this.#replace(this.#slots[slot] as number, key, value);
  }

  /** Removes everything, tombstones included; keeps some memory for reuse. */
  clear(): void {
    if (this.#slots.length > MAX_REUSED_SLOTS) this.#slots = new Int32Array(FIRST_SLOTS);
    this.#slots.fill(FREE);
    this.#large.clear();
    this.#slabs.clear();
    this.#size = 0;
    this.#largeBytes = 0;
    this.#order = undefined;
  }

  /** Rows with from ≤ key < to in order (no `to`: to the end), tombstones as null. Keys added after the first step are not seen. */
  *range(from: Uint8Array, to?: Uint8Array, reverse = false): Generator<[Uint8Array, Uint8Array | null]> {
    const order = this.#sorted();
    const first = order.lowerBound(from);
    const end = to ? order.lowerBound(to) : order.length;
    for (let i = 0; i < end - first; i++) {
      const entry = order.at(reverse ? end - 1 - i : first + i);
      yield [this.#key(entry), this.#value(entry)];
    }
  }

  /** All rows in insertion order. */
  *entries(): Generator<[Uint8Array, Uint8Array | null]> {
    for (let entry = 0; entry < this.#size; entry++) yield [this.#key(entry), this.#value(entry)];
  }

  /** Sets all rows in another table. @param replaces - whether those of the same key there are replaced, or kept */
  copyTo(other: ByteTable, replaces: boolean): void {
    for (let entry = 0; entry < this.#size; entry++) {
      const key = this.#key(entry);
      if (replaces || other.get(key) === undefined) other.set(key, this.#value(entry));
    }
  }

  #add(slot: number, hash: number, key: Uint8Array, value: Uint8Array | null): void {
    if (this.#size === this.#hashes.length) this.#growEntries();
    const entry = this.#size++;
    this.#hashes[entry] = hash;
    this.#keyLengths[entry] = key.length;
    this.#slots[slot] = entry;
    this.#store(entry, key, value);
    if (this.#size * 4 > this.#slots.length * 3) this.#growSlots();
  }

  #replace(entry: number, key: Uint8Array, value: Uint8Array | null): void {
    const before = this.#slabBytes(entry);
    const after = key.length + inSlab(value);
    if (this.#slabs.fits(before, after)) {
      this.#write(entry, key, value);
    } else {
      this.#slabs.free(this.#places[entry] as number, before);
      this.#store(entry, key, value);
    }
  }

  #store(entry: number, key: Uint8Array, value: Uint8Array | null): void {
    this.#places[entry] = this.#slabs.allocate(key.length + inSlab(value));
    this.#write(entry, key, value);
  }

  #write(entry: number, key: Uint8Array, value: Uint8Array | null): void {
    const place = this.#places[entry] as number;
    const slab = this.#slabs.slab(place);
    const offset = this.#slabs.offset(place);
    slab.set(key, offset);
    this.#largeBytes -= this.#large.get(entry)?.length ?? 0;
    this.#large.delete(entry);
    this.#valueLengths[entry] = value ? value.length : DELETED;
    if (!value) return;
    if (value.length <= MAX_IN_SLAB) {
      slab.set(value, offset + key.length);
    } else {
      this.#large.set(entry, new Uint8Array(value)); // `slice` of a Buffer copies nothing
      this.#largeBytes += value.length;
    }
  }

  #slabBytes(entry: number): number {
    const length = this.#valueLengths[entry] as number;
    const stored = length < 0 || length > MAX_IN_SLAB ? 0 : length;
    return (this.#keyLengths[entry] as number) + stored;
  }

  #key(entry: number): Uint8Array {
    const place = this.#places[entry] as number;
    const offset = this.#slabs.offset(place);
    return this.#slabs.slab(place).subarray(offset, offset + (this.#keyLengths[entry] as number));
  }

  #keyByte(entry: number, at: number): number {
    if (at >= (this.#keyLengths[entry] as number)) return NO_BYTE;
    const place = this.#places[entry] as number;
    return this.#slabs.slab(place)[this.#slabs.offset(place) + at] as number;
  }

  #value(entry: number): Uint8Array | null {
    const length = this.#valueLengths[entry] as number;
    if (length < 0) return null;
    if (length > MAX_IN_SLAB) return this.#large.get(entry) as Uint8Array;
    const place = this.#places[entry] as number;
    const offset = this.#slabs.offset(place) + (this.#keyLengths[entry] as number);
    return this.#slabs.slab(place).subarray(offset, offset + length);
  }

  /** Slot of a key, or the complement of the slot where it belongs. */
  #find(key: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] as number;
      if (entry === FREE) return ~slot;
      if (this.#hashes[entry] === hash && this.#hasKey(entry, key)) return slot;
    }
  }

  #hasKey(entry: number, key: Uint8Array): boolean {
    if (this.#keyLengths[entry] !== key.length) return false;
    const place = this.#places[entry] as number;
    const slab = this.#slabs.slab(place);
    const offset = this.#slabs.offset(place);
    for (let i = 0; i < key.length; i++) if (slab[offset + i] !== key[i]) return false;
    return true;
  }

  #growEntries(): void {
    const length = this.#hashes.length * 2;
    const copy = <A extends { set(from: A): void }>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    this.#hashes = copy(new Uint32Array(length), this.#hashes);
    this.#places = copy(new Uint32Array(length), this.#places);
    this.#keyLengths = copy(new Uint16Array(length), this.#keyLengths);
    this.#valueLengths = copy(new Int32Array(length), this.#valueLengths);
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(FREE);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.#size; entry++) {
      let slot = (this.#hashes[entry] as number) & mask;
      while (slots[slot] !== FREE) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
    this.#slots = slots;
  }

  /** Entries in key order; cached until keys are added, so that many ranges sort only once. */
  #sorted(): LazyOrder {
    if (this.#order?.length !== this.#size)
      this.#order = new LazyOrder(this.#size, {
        keyOf: (entry) => this.#key(entry),
        byteAt: (entry, at) => this.#keyByte(entry, at),
      });
    return this.#order;
  }
}

function inSlab(value: Uint8Array | null): number {
  return value && value.length <= MAX_IN_SLAB ? value.length : 0;
}

/** Multiplicative hash over words of four bytes. Keys are mostly Keccak-256 hashes or counters. */
function hashOf(key: Uint8Array): number {
  const n = key.length;
  let hash = n;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const word =
      (key[i] as number) |
      ((key[i + 1] as number) << 8) |
      ((key[i + 2] as number) << 16) |
      ((key[i + 3] as number) << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; i < n; i++) hash = Math.imul(hash ^ (key[i] as number), 0x85ebca6b);
  hash ^= hash >>> 13;
  return Math.imul(hash, 0xc2b2ae35) >>> 0;
}
