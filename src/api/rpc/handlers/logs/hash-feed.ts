import type { Allowance } from "../../../../platform/http/budget.ts";

/** Maximum hashes by which a reader may lag behind. */
const MAX_LAG = 100_000;
/** Minimum number of hashes before those that all have read are dropped. */
const MIN_DROP = 1_024;
/** Estimated memory of a hash, in bytes. */
const HASH_BYTES = 128;

/** A reader of a feed: yields the hashes since its last read. */
export interface HashReader {
  /** @returns undefined if some of them are no longer kept */
  take(): readonly string[] | undefined;
  end(): void;
}

/**
 * Hashes in order of arrival, kept once for all readers: each stores only its position, so that ten thousand cost no more per
 * hash than one.
 */
export class HashFeed {
  readonly #listen: (take: (hashes: readonly string[]) => void) => () => void;
  readonly #allowance: Allowance;
  #leave: (() => void) | undefined;
  #hashes: string[] = [];
  /** Number of hashes before the first one kept. */
  #before = 0;
  /** Number of kept hashes at which some are dropped. */
  #full = MIN_DROP;
  readonly #readers = new Set<{ readonly at: number }>();

  /** @param listen - called while there are readers @param allowance - bytes that may be kept */
  constructor(listen: (take: (hashes: readonly string[]) => void) => () => void, allowance: Allowance) {
    this.#listen = listen;
    this.#allowance = allowance;
  }

  /** Adds a reader of all hashes from now on. */
  open(): HashReader {
    const reader = { at: this.#end };
    this.#readers.add(reader);
    this.#leave ??= this.#listen((hashes) => this.#add(hashes));
    return {
      take: () => {
        const { at } = reader;
        reader.at = this.#end;
        const isLost = at < this.#before || this.#end - at > MAX_LAG;
        return isLost ? undefined : this.#hashes.slice(at - this.#before);
      },
      end: () => {
        this.#readers.delete(reader);
        if (this.#readers.size > 0) return;
        this.#leave?.();
        this.#leave = undefined;
        this.#dropTo(this.#end);
      },
    };
  }

  get #end(): number {
    return this.#before + this.#hashes.length;
  }

  #add(hashes: readonly string[]): void {
    if (this.#readers.size === 0) return; // the last one left while it was told of them
    for (const hash of hashes) this.#hashes.push(hash);
    if (!this.#allowance.take(hashes.length * HASH_BYTES)) {
      // The new ones were not counted, so only the others are given back.
      const kept = this.#hashes.length - hashes.length;
      this.#before += this.#hashes.length;
      this.#hashes = [];
      this.#allowance.give(kept * HASH_BYTES);
    } else if (this.#hashes.length >= this.#full) this.#cut();
  }

  /** Drops the hashes that all have read, and those beyond the maximum lag. */
  #cut(): void {
    let first = this.#end;
    for (const { at } of this.#readers) first = Math.min(first, at);
    this.#dropTo(Math.max(first, this.#end - MAX_LAG));
    this.#full = Math.max(MIN_DROP, 2 * this.#hashes.length);
  }

  #dropTo(first: number): void {
    const count = Math.max(0, first - this.#before);
    this.#hashes = this.#hashes.slice(count);
    this.#before += count;
    this.#allowance.give(count * HASH_BYTES);
  }
}
