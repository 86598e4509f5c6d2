/** Something that holds bytes for, or of, somebody outside: a client, a peer. */
export interface Holder {
  /** The connection that owns the bytes, if it has several holders. */
  readonly owner?: unknown;
  /** Frees what it holds, and ends the connection or the response being built. */
  cutOff(): void;
}

/** Bytes held for many, limited together: above the limit, the one with the most is cut off. */
export class SharedBytes {
  readonly #most: number;
  readonly #held = new Map<Holder, number>();
  #total = 0;

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  get total(): number {
    return this.#total;
  }

  /** Updates how much a holder has. */
  set(holder: Holder, bytes: number): void {
    this.#total += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    if (this.#total > this.#most) this.#cutOffLargest();
  }

  /** That suffices: what has just been added belongs to one owner. */
  #cutOffLargest(): void {
    const largest = this.#largest();
    const holders = [...this.#held.keys()].filter((holder) => ownerOf(holder) === largest);
    // All of them first: between two, the rest could still be too much, and cost another owner its connection.
    for (const holder of holders) {
      this.#total -= this.#held.get(holder) ?? 0;
      this.#held.delete(holder);
    }
    for (const holder of holders) holder.cutOff();
  }

  /** The owner with the most bytes. */
  #largest(): unknown {
    const sums = new Map<unknown, number>();
    let largest: unknown;
    let most = 0;
    for (const [holder, bytes] of this.#held) {
      const owner = ownerOf(holder);
      const sum = bytes + (sums.get(owner) ?? 0);
      sums.set(owner, sum);
      if (sum > most) [largest, most] = [owner, sum];
    }
    return largest;
  }
}

function ownerOf(holder: Holder): unknown {
  return holder.owner ?? holder;
}
