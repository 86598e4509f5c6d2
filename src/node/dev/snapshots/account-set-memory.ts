/** Estimated bytes that a string of 42 characters takes in a set. */
const MEMBER = 100;

/** Counts the memory of sets of accounts, many of which may be the same object. */
export class AccountSetMemory {
  readonly #holders = new Map<ReadonlySet<string>, number>();
  #bytes = 0;

  /** Bytes, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  add(set: ReadonlySet<string>): void {
    const holders = this.#holders.get(set) ?? 0;
    this.#holders.set(set, holders + 1);
    if (holders === 0) this.#bytes += MEMBER * set.size;
  }

  remove(set: ReadonlySet<string>): void {
    const holders = this.#holders.get(set) ?? 1;
    if (holders > 1) {
      this.#holders.set(set, holders - 1);
      return;
    }
    this.#holders.delete(set);
    this.#bytes -= MEMBER * set.size;
  }
}
