import { hashLimbs, TableMemory } from "./limb-tables.ts";

/** Limbs per word: eight 32-bit words, least significant first. */
const LIMBS = 8;

/** Initial capacity of a table. */
const FIRST_SLOTS = 8;
/** Four words of eight limbs, three per-slot numbers, two buckets and an undo entry. */
const WORDS_PER_SLOT = 4 * LIMBS + 5 + LIMBS + 1;

/** Reads the committed value of the slot whose key is at `keys[at]` into `values[at]`, which is zero beforehand. */
export type SlotLoader = (owner: number, keys: Uint32Array, values: Uint32Array, at: number) => void;

/**
 * Storage slots of a journal: keys and values as 32-bit limbs in typed arrays, an open-addressing index over them and
 * an undo log, so that neither reads nor writes allocate. Words are copied from and to any `Uint32Array`, such as the
 * linear memory of the interpreter. Once seen, a slot keeps its index.
 */
export class SlotTable {
  #count = 0;
  #capacity = FIRST_SLOTS;
  #keys: Uint32Array;
  /** Current value; then the one at the start of the transaction, and the one before the block. */
  #now: Uint32Array;
  #original: Uint32Array;
  #base: Uint32Array;
  #owners: Int32Array;
  #warmAt: Uint32Array;
  /** Checkpoint under which a slot was last saved in the undo log: later writes under it need no entry. */
  #loggedAt: Uint32Array;
  /** Index of a slot + 1; 0 = free. */
  #buckets: Int32Array;
  /** Undo log: eight limbs and their slot for a write; the complement of the slot alone for a warming. */
  #undo: Int32Array;
  #undoTop = 0;
  readonly #load: SlotLoader;

  constructor(load: SlotLoader) {
    this.#load = load;
    const memory = new TableMemory(FIRST_SLOTS * WORDS_PER_SLOT);
    const take = <T>(kind: new (buffer: ArrayBuffer, at: number, length: number) => T, words: number): T =>
      memory.take(kind, FIRST_SLOTS * words);
    this.#keys = take(Uint32Array, LIMBS);
    this.#now = take(Uint32Array, LIMBS);
    this.#original = take(Uint32Array, LIMBS);
    this.#base = take(Uint32Array, LIMBS);
    this.#owners = take(Int32Array, 1);
    this.#warmAt = take(Uint32Array, 1);
    this.#loggedAt = take(Uint32Array, 1);
    this.#buckets = take(Int32Array, 2);
    this.#undo = take(Int32Array, LIMBS + 1);
  }

  /** Index of the slot of `owner` with the key at `words[at]`; loads its value on first use. */
  find(owner: number, words: Uint32Array, at: number): number {
    const mask = this.#buckets.length - 1;
    const keys = this.#keys;
    for (let i = hashLimbs(words, at, LIMBS, owner) & mask; ; i = (i + 1) & mask) {
      const place = this.#buckets[i] as number;
      if (place === 0) return this.#insert(i, owner, words, at);
      const k = (place - 1) * LIMBS;
      if (
        keys[k] === words[at] &&
        keys[k + 1] === words[at + 1] &&
        keys[k + 2] === words[at + 2] &&
        keys[k + 3] === words[at + 3] &&
        keys[k + 4] === words[at + 4] &&
        keys[k + 5] === words[at + 5] &&
        keys[k + 6] === words[at + 6] &&
        keys[k + 7] === words[at + 7] &&
        this.#owners[place - 1] === owner
      ) {
        return place - 1;
      }
    }
  }

  /** Copies the value of a slot to `words[at]`. */
  read(slot: number, words: Uint32Array, at: number): void {
    const now = this.#now;
    for (let i = 0, k = slot * LIMBS; i < LIMBS; i++) words[at + i] = now[k + i] as number;
  }

  /** Copies the value at the start of the transaction to `words[at]`. */
  readOriginal(slot: number, words: Uint32Array, at: number): void {
    for (let i = 0, k = slot * LIMBS; i < LIMBS; i++) words[at + i] = this.#original[k + i] as number;
  }

  /** Sets a slot to the word at `words[at]`; `checkpoint` is the number of the innermost open checkpoint. */
  write(slot: number, words: Uint32Array, at: number, checkpoint: number): void {
    const now = this.#now;
    const k = slot * LIMBS;
    if (this.#loggedAt[slot] !== checkpoint) {
      this.#loggedAt[slot] = checkpoint;
      this.#reserveUndo();
      const undo = this.#undo;
      const top = this.#undoTop;
      for (let i = 0; i < LIMBS; i++) undo[top + i] = now[k + i] as number;
      undo[top + LIMBS] = slot;
      this.#undoTop = top + LIMBS + 1;
    }
    for (let i = 0; i < LIMBS; i++) now[k + i] = words[at + i] as number;
  }

  /** How the original, the current and the new value (at `words[at]`) relate: bits of `SlotRelation`. */
  relate(slot: number, words: Uint32Array, at: number): number {
    let changed = 0;
    let differs = 0;
    let restored = 0;
    let original = 0;
    let current = 0;
    let next = 0;
    for (let i = 0, k = slot * LIMBS; i < LIMBS; i++) {
      const o = this.#original[k + i] as number;
      const c = this.#now[k + i] as number;
      const n = words[at + i] as number;
      changed |= o ^ c;
      differs |= c ^ n;
      restored |= o ^ n;
      original |= o;
      current |= c;
      next |= n;
    }
    return (
      (changed === 0 ? SlotRelation.clean : 0) |
      (differs === 0 ? SlotRelation.same : 0) |
      (restored === 0 ? SlotRelation.restored : 0) |
      (original === 0 ? SlotRelation.originalZero : 0) |
      (current === 0 ? SlotRelation.currentZero : 0) |
      (next === 0 ? SlotRelation.newZero : 0)
    );
  }

  isWarm(slot: number, transaction: number): boolean {
    return this.#warmAt[slot] === transaction;
  }

  /** Adds a slot to those accessed in `transaction`. @returns whether it was cold */
  warm(slot: number, transaction: number): boolean {
    if (this.#warmAt[slot] === transaction) return false;
    this.#warmAt[slot] = transaction;
    this.#reserveUndo();
    this.#undo[this.#undoTop++] = ~slot;
    return true;
  }

  /** Length of the undo log, to pass to `revert`. */
  get position(): number {
    return this.#undoTop;
  }

  /** Undoes every write and warming since `position`. */
  revert(position: number): void {
    const undo = this.#undo;
    while (this.#undoTop > position) {
      const slot = undo[--this.#undoTop] as number;
      if (slot < 0) {
        this.#warmAt[~slot] = 0;
      } else {
        this.#undoTop -= LIMBS;
        for (let i = 0; i < LIMBS; i++) this.#now[slot * LIMBS + i] = undo[this.#undoTop + i] as number;
      }
    }
  }

  /** Makes the current values the original ones of the next transaction and clears the undo log. */
  endTransaction(): void {
    while (this.#undoTop > 0) {
      const slot = this.#undo[--this.#undoTop] as number;
      if (slot < 0) continue;
      this.#undoTop -= LIMBS;
      for (let i = slot * LIMBS; i < slot * LIMBS + LIMBS; i++) this.#original[i] = this.#now[i] as number;
    }
  }

  /** Number of slots seen; their indexes are below it. */
  get size(): number {
    return this.#count;
  }

  /** Calls `visit` for each slot with from ≤ index < to whose value differs from the one before the block. */
  forEachChanged(
    { from, to }: { readonly from: number; readonly to: number },
    visit: (owner: number, keys: Uint32Array, values: Uint32Array, at: number) => void,
  ): void {
    for (let slot = from; slot < Math.min(to, this.#count); slot++) {
      const k = slot * LIMBS;
      for (let i = 0; i < LIMBS; i++) {
        if (this.#now[k + i] !== this.#base[k + i]) {
          visit(this.#owners[slot] as number, this.#keys, this.#now, k);
          break;
        }
      }
    }
  }

  #insert(place: number, owner: number, words: Uint32Array, at: number): number {
    if (this.#count === this.#capacity) this.#grow();
    const slot = this.#count;
    const k = slot * LIMBS;
    for (let i = 0; i < LIMBS; i++) this.#keys[k + i] = words[at + i] as number;
    this.#load(owner, this.#keys, this.#now, k);
    this.#original.set(this.#now.subarray(k, k + LIMBS), k);
    this.#base.set(this.#now.subarray(k, k + LIMBS), k);
    this.#owners[slot] = owner;
    this.#count = slot + 1;
    this.#buckets[place] = slot + 1;
    if (this.#count * 2 > this.#buckets.length) this.#growBuckets();
    return slot;
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#keys = grown(this.#keys);
    this.#now = grown(this.#now);
    this.#original = grown(this.#original);
    this.#base = grown(this.#base);
    this.#warmAt = grown(this.#warmAt);
    this.#loggedAt = grown(this.#loggedAt);
    const owners = new Int32Array(this.#capacity);
    owners.set(this.#owners);
    this.#owners = owners;
  }

  #growBuckets(): void {
    const buckets = new Int32Array(this.#buckets.length * 2);
    const mask = buckets.length - 1;
    for (let slot = 0; slot < this.#count; slot++) {
      let i = hashLimbs(this.#keys, slot * LIMBS, LIMBS, this.#owners[slot] as number) & mask;
      while (buckets[i] !== 0) i = (i + 1) & mask;
      buckets[i] = slot + 1;
    }
    this.#buckets = buckets;
  }

  #reserveUndo(): void {
    if (this.#undoTop + LIMBS + 1 <= this.#undo.length) return;
    const undo = new Int32Array(this.#undo.length * 2);
    undo.set(this.#undo);
    this.#undo = undo;
  }
}

/** Bits returned by `SlotTable.relate`: with warmth, all that the gas of SSTORE depends on. */
export const SlotRelation = {
  /** The transaction has not changed the slot so far (original = current). */
  clean: 1,
  /** Writing changes nothing (current = new). */
  same: 2,
  /** Writing restores the original value. */
  restored: 4,
  originalZero: 8,
  currentZero: 16,
  newZero: 32,
} as const;

function grown(words: Uint32Array): Uint32Array {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
}
