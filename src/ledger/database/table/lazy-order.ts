import { endOfShared, type KeysOf, sortRun } from "./sort-keys.ts";

/** Keys sorted at once, a fraction of a millisecond. */
const FEW = 1024;

/** Consecutive positions whose keys all sort behind those before them. */
interface Run {
  readonly start: number;
  readonly end: number;
  /** Keys of the run are equal before this byte. */
  readonly offset: number;
  isSorted: boolean;
}

/**
 * The numbers 0 to `count` - 1 in lexicographic order of their keys, which differ. It is sorted only around the positions
 * that are asked for: sorting 30,000 keys at once takes longer than the thread may be held.
 */
export class LazyOrder {
  readonly length: number;
  readonly #order: Uint32Array;
  readonly #few: number;
  readonly #keys: KeysOf;
  /** All positions, in order. */
  readonly #runs: Run[];
  /** The run of the last position asked for. */
  #last: Run | undefined;

  /** @param few - maximum number of keys sorted at once */
  constructor(count: number, keys: KeysOf, few = FEW) {
    this.length = count;
    this.#few = few;
    // Plain loops here and below: `from` with a function takes ten times as long, and all keys of a table are visited in one piece.
    this.#order = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.#order[i] = i;
    this.#keys = keys;
    this.#runs = [{ start: 0, end: count, offset: 0, isSorted: count < 2 }];
  }

  /** The number at a position. */
  at(position: number): number {
    const last = this.#last;
    if (last === undefined || position < last.start || position >= last.end)
      this.#last = this.#sortedRun(position);
    return this.#order[position] as number;
  }

  /** The first position whose key is not below `key`. */
  lowerBound(key: Uint8Array): number {
    if (this.length === 0) return 0;
    const isBelow = (position: number) =>
      Buffer.compare(this.#keys.keyOf(this.#order[position] as number), key) < 0;
    for (;;) {
      const index = firstWhere(0, this.#runs.length, (i) => !isBelow((this.#runs[i] as Run).start));
      // The first key of an unsorted run is any of its keys: the position is in the run before this one, or in this one.
      const [before, after] = [this.#runs[index - 1], this.#runs[index]];
      if (before?.isSorted === false) this.#refine(index - 1);
      else if (after?.isSorted === false) this.#refine(index);
      else return firstWhere(before?.start ?? 0, after?.end ?? this.length, (position) => !isBelow(position));
    }
  }

  /** The run of a position, sorted. */
  #sortedRun(position: number): Run {
    for (;;) {
      const index = firstWhere(0, this.#runs.length - 1, (i) => (this.#runs[i] as Run).end > position);
      const run = this.#runs[index] as Run;
      if (run.isSorted) return run;
      this.#refine(index);
    }
  }

  /** Sorts a run if it is short, and splits it otherwise. */
  #refine(index: number): void {
    const run = this.#runs[index] as Run;
    const { start, end, offset } = run;
    if (end - start > this.#few) this.#runs.splice(index, 1, ...this.#split(run));
    else {
      sortRun(this.#order, start, end, { ...this.#keys, offset });
      run.isSorted = true;
    }
  }

  /** Splits a run by the first byte in which its keys differ. */
  #split({ start, end, offset }: Run): Run[] {
    const entries = this.#order.slice(start, end);
    const at = endOfShared(entries, { ...this.#keys, offset });
    // A key that ends here sorts before all others.
    const digits = new Uint16Array(entries.length);
    const starts = new Uint32Array(258);
    for (let i = 0; i < entries.length; i++) {
      const digit = this.#keys.byteAt(entries[i] as number, at) + 1;
      digits[i] = digit;
      starts[digit + 1] = (starts[digit + 1] as number) + 1;
    }
    for (let digit = 0; digit < 257; digit++)
      starts[digit + 1] = (starts[digit + 1] as number) + (starts[digit] as number);
    const runs: Run[] = [];
    for (let digit = 0; digit < 257; digit++) {
      const [from, to] = [starts[digit] as number, starts[digit + 1] as number];
      if (to > from)
        runs.push({ start: start + from, end: start + to, offset: at + 1, isSorted: to - from < 2 });
    }
    for (let i = 0; i < entries.length; i++) {
      const digit = digits[i] as number;
      const place = starts[digit] as number;
      starts[digit] = place + 1;
      this.#order[start + place] = entries[i] as number;
    }
    return runs;
  }
}

/** The first number from ≤ i < to for which a condition holds that holds for all after it; `to` if there is none. */
function firstWhere(from: number, to: number, holds: (i: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
