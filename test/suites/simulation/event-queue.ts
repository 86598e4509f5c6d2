interface Due {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

/** A virtual clock with its events: a binary heap by time, then by order of insertion. */
export class EventQueue {
  readonly #heap: Due[] = [];
  #order = 0;
  #now = 0;

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  /** Number of events so far. */
  get handled(): number {
    return this.#order - this.#heap.length;
  }

  /** Calls `act` after `delayMs`. */
  after(delayMs: number, act: () => void): void {
    const due = { at: this.#now + delayMs, order: this.#order++, act };
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isEarlier(heap[parent] as Due, due)) break;
      heap[place] = heap[parent] as Due;
      place = parent;
    }
    heap[place] = due;
  }

  /** Moves the clock to the next event and runs it. @returns false if there is none */
  next(): boolean {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return false;
    if (this.#heap.length > 0) this.#sink(last);
    this.#now = first.at;
    first.act();
    return true;
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    const size = heap.length;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && isEarlier(heap[child + 1] as Due, heap[child] as Due)) child++;
      if (isEarlier(due, heap[child] as Due)) break;
      heap[place] = heap[child] as Due;
      place = child;
    }
    heap[place] = due;
  }
}

function isEarlier(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
