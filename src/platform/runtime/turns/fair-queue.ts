/** A round-robin queue: an owner that queues a lot does not delay the others. */
export class FairQueue<T> {
  /** By owner, in the order of their turns. */
  readonly #lines = new Map<unknown, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How much is queued by one owner. */
  waitingOf(owner: unknown): number {
    return this.#lines.get(owner)?.length ?? 0;
  }

  push(owner: unknown, item: T): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [item]);
    else line.push(item);
    this.#size++;
  }

  /** The next in turn. @param mayGo - whether it may be one of this owner; the others keep their turns */
  shift(mayGo: (owner: unknown) => boolean = () => true): T | undefined {
    for (const [owner, line] of this.#lines) {
      if (!mayGo(owner)) continue;
      this.#lines.delete(owner);
      const item = line.shift();
      if (line.length > 0) this.#lines.set(owner, line);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Removes one that no longer waits. */
  remove(owner: unknown, item: T): void {
    const line = this.#lines.get(owner) ?? [];
    const at = line.indexOf(item);
    if (at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) this.#lines.delete(owner);
    this.#size--;
  }

  /**
   * Takes the last item of the owner with the most waiting, if it has more than the given number.
   * @param mayGo - whether it may be this one
   */
  displace(over: number, mayGo: (item: T) => boolean): T | undefined {
    let longest: { readonly owner: unknown; readonly line: readonly T[] } | undefined;
    for (const [owner, line] of this.#lines)
      if (line.length > Math.max(over, longest?.line.length ?? 0)) longest = { owner, line };
    const item = longest?.line.at(-1);
    if (longest === undefined || item === undefined || !mayGo(item)) return undefined;
    this.remove(longest.owner, item);
    return item;
  }

  /** Removes all. */
  drain(): T[] {
    const all = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#size = 0;
    return all;
  }
}
