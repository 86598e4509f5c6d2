/** Allocations are multiples of this many bytes. */
const UNIT = 32;
const FIRST_SLAB = 1 << 14;
const MAX_SLAB = 1 << 22;
/** Bits of a place for the unit within a slab: 4 MiB in units of 32 bytes. */
const UNIT_BITS = 17;
const UNIT_MASK = (1 << UNIT_BITS) - 1;

/**
 * Allocates bytes within a few large arrays, with free lists by size. A small `Uint8Array` per record would cost some
 * 400 bytes and work for the garbage collector each.
 */
export class Slabs {
  readonly #slabs: Uint8Array[] = [];
  readonly #freeLists: number[][] = [];
  #filled = 0;
  #bytes = 0;

  /** Bytes held, used or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Allocates `size` bytes (at most 1 MiB), uninitialised. @returns their place: slab and unit */
  allocate(size: number): number {
    const units = unitsOf(size);
    const free = this.#freeLists[units]?.pop();
    if (free !== undefined) return free;
    const current = this.#slabs.at(-1);
    if (!current || this.#filled + units * UNIT > current.length) this.#grow(units * UNIT);
    const place = ((this.#slabs.length - 1) << UNIT_BITS) | (this.#filled / UNIT);
    this.#filled += units * UNIT;
    return place >>> 0;
  }

  /** Frees what `allocate(size)` returned. */
  free(place: number, size: number): void {
    const units = unitsOf(size);
    const list = this.#freeLists[units];
    if (list) list.push(place);
    else this.#freeLists[units] = [place];
  }

  /** Frees everything; keeps the first slab. */
  clear(): void {
    this.#slabs.length = Math.min(this.#slabs.length, 1);
    this.#freeLists.length = 0;
    this.#filled = 0;
    this.#bytes = this.#slabs[0]?.length ?? 0;
  }

  /** Whether an allocation of one size can be reused for the other. */
  fits(size: number, other: number): boolean {
    return unitsOf(size) === unitsOf(other);
  }

  slab(place: number): Uint8Array {
    return this.#slabs[place >>> UNIT_BITS] as Uint8Array;
  }

  offset(place: number): number {
    return (place & UNIT_MASK) * UNIT;
  }

  #grow(needed: number): void {
    const doublings = Math.min(this.#slabs.length, Math.log2(MAX_SLAB / FIRST_SLAB));
    let size = FIRST_SLAB << doublings;
    while (size < needed) size *= 2;
    this.#slabs.push(new Uint8Array(size));
    this.#filled = 0;
    this.#bytes += size;
  }
}

function unitsOf(size: number): number {
  return (size + UNIT - 1) >>> 5;
}
