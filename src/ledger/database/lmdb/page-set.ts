/** A set of pages of a file, by number: a bit for each. */
export class PageSet {
  readonly #bits: Uint8Array;
  #size = 0;

  /** @param last - the highest page number */
  constructor(last: number) {
    this.#bits = new Uint8Array((last >>> 3) + 1);
  }

  get size(): number {
    return this.#size;
  }

  has(page: number): boolean {
    return ((this.#bits[page >>> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }

  /** @returns whether the page was not in the set */
  add(page: number): boolean {
    if (this.has(page)) return false;
    this.#bits[page >>> 3] = (this.#bits[page >>> 3] ?? 0) | (1 << (page & 7));
    this.#size++;
    return true;
  }
}
