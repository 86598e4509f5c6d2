/** A round-robin queue: an owner that queues a lot does not delay the others. */
export class FairQueue<T> {
  /** By owner, in the order of their turns. */
  readonly #queues = new Map<unknown, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of items queued by one owner. */
  countOf(owner: unknown): number {
    return this.#queues.get(owner)?.length ?? 0;
  }

  push(owner: unknown, item: T): void {
    const line = this.#queues.get(owner);
    if (line === undefined) this.#queues.set(owner, [item]);
    else line.push(item);
    this.#size++;
  }

  /** The next item. @param mayGo - whether an owner may have a turn; the others keep their place */
  shift(mayGo: (owner: unknown) => boolean = () => true): T | undefined {
    for (const [owner, line] of this.#queues) {
      if (!mayGo(owner)) continue;
      this.#queues.delete(owner);
      const item = line.shift();
      if (line.length > 0) this.#queues.set(owner, line);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Removes an item. */
  remove(owner: unknown, item: T): void {
    const line = this.#queues.get(owner) ?? [];
    const at = line.indexOf(item);
    if (at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) this.#queues.delete(owner);
    this.#size--;
  }

  /**
   * Evicts the last item of the owner with the most items, if it has more than the given number.
   * @param mayGo - whether this item may be evicted
   */
  displace(over: number, mayGo: (item: T) => boolean): T | undefined {
    let longest: { readonly owner: unknown; readonly line: readonly T[] } | undefined;
    for (const [owner, line] of this.#queues)
      if (line.length > Math.max(over, longest?.line.length ?? 0)) longest = { owner, line };
    const item = longest?.line.at(-1);
    if (longest === undefined || item === undefined || !mayGo(item)) return undefined;
    this.remove(longest.owner, item);
    return item;
  }

  /** Removes and returns all items. */
  drain(): T[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return all;
  }
}
